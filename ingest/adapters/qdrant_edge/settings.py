"""Knobs of the embedded vector index."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QdrantEdgeSettings:
    """A search compares with every point until the shard is optimised (24,000 points: 4 ms; after it 0.3 ms)."""

    optimise_after_points: int = 20_000
    """So many points added or patched since the last time make the shard worth optimising."""
    indexing_threshold_kb: int = 10_000
    """A segment with less than this of vectors gets no HNSW graph: exact search is quick enough."""
    m: int = 16
    ef_construct: int = 100
    optimising_threads: int = 1
    optimising_niceness: int = 10
    """Added to the niceness of the child process that optimises."""
    reserve_bytes: int = 128 * 1024 * 1024
    """Space that adding leaves to patches and deletes: the engine maps its files, and a disk that is full under them
    kills the process."""
