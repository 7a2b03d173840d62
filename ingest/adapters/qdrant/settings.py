"""Knobs of the vector index on a Qdrant server."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QdrantSettings:
    """What a collection is made with, and how it is asked."""

    replication_factor: int = 1
    """More than 1 also makes every write strongly ordered, and wait for all replicas."""
    shard_number: int = 1
    m: int = 16
    ef_construct: int = 100
    indexing_threshold_kb: int = 10_000
    """A segment with less than this of vectors gets no HNSW graph."""
    exact: bool = False
    """Compare with every point instead of walking the graph: slow, and the same answer every time; for tests."""
