"""A shard of the engine: how ours are made, opened and asked."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import qdrant_edge as edge

from ingest.adapters.points import ALLOW, DENY, FACETS, FILTER_FIELDS, facet_words
from ingest.adapters.qdrant_edge.errors import foreign, translated
from ingest.adapters.qdrant_edge.settings import QdrantEdgeSettings
from ingest.model.principal import Principal
from ingest.model.record import Filters

WRITTEN: Final = "written"
"""The number of the shard that was in use when a point was last added or patched: the engine's own figures count
deleted points as optimised, and do not say that a patch takes a point out of the graph."""

INDEXES: Final = {
    **dict.fromkeys(FILTER_FIELDS, edge.PayloadSchemaType.Keyword),
    WRITTEN: edge.PayloadSchemaType.Integer,
}


def config(dimension: int, settings: QdrantEdgeSettings) -> edge.EdgeConfig:
    """What the engine is told, when it makes a shard and whenever it opens one. The write-ahead log is on."""
    return edge.EdgeConfig(
        vectors=edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine),
        hnsw_config=edge.HnswIndexConfig(
            m=settings.m,
            ef_construct=settings.ef_construct,
            full_scan_threshold=settings.indexing_threshold_kb,
            max_indexing_threads=settings.optimising_threads,
        ),
        optimizers=edge.EdgeOptimizersConfig(
            default_segment_number=1, indexing_threshold=settings.indexing_threshold_kb
        ),
    )


def make(path: Path, dimension: int, settings: QdrantEdgeSettings) -> edge.EdgeShard:
    """A new, empty shard, its payload indexes made before anything is loaded."""
    with translated(path):
        shard = edge.EdgeShard.create(str(path), config(dimension, settings))
        for field, schema in INDEXES.items():
            shard.update(edge.UpdateOperation.create_field_index(field, schema))
        shard.flush()
    return shard


def load(path: Path, dimension: int, settings: QdrantEdgeSettings) -> edge.EdgeShard:
    """Open a shard. Raises AlreadyRunning when it is open elsewhere, ForeignIndex when it is damaged or not of this
    shape, StoreUnavailable when the machine is short of something."""
    with translated(path, opening=True):
        shard = edge.EdgeShard.load(str(path), config(dimension, settings))
        if missing := INDEXES.keys() - shard.info().payload_schema.keys():
            shard.close()
            raise foreign(path, f"it has no index of {min(missing)}")
    return shard


def readable_by(caller: frozenset[Principal], filters: Filters) -> edge.Filter:
    """Points that admit the caller and have one of the values for every filtered key."""
    principals = sorted(caller)
    wanted = [_any(FACETS, words) for words in facet_words(filters)]
    return edge.Filter(must=[_any(ALLOW, principals), *wanted], must_not=[_any(DENY, principals)])


def written_in(number: int) -> edge.CountRequest:
    """How many points were added or patched while this shard was in use."""
    match = edge.FieldCondition(WRITTEN, match=edge.MatchValue(number))
    return edge.CountRequest(exact=True, filter=edge.Filter(must=[match]))


def _any(field: str, words: Sequence[str]) -> edge.FieldCondition:
    return edge.FieldCondition(field, match=edge.MatchAny(list(words)))
