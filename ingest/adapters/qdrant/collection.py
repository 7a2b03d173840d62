"""A generation's collection: how it is made, and how one that is there is recognised."""

import re
from collections.abc import Mapping
from typing import Any, Final

from qdrant_client import QdrantClient, models

from ingest.adapters.points import FILTER_FIELDS
from ingest.adapters.qdrant.connection import Connection
from ingest.adapters.qdrant.errors import STORE, foreign
from ingest.adapters.qdrant.settings import QdrantSettings
from ingest.errors import ForeignIndex, Permanent

OLDEST: Final = (1, 19)
"""Older servers forget acknowledged writes for a while after a restart, and bring back what a filter deleted."""

MADE_BY: Final = {"lockstep": 1}
"""Stored with the collection; the number changes when payloads do."""


def make(connection: Connection, name: str, dimension: int, settings: QdrantSettings) -> None:
    """Make the collection, unless it is there and ours, with its payload indexes before anything is loaded."""
    with connection.client() as client:
        if not connection.local:
            _check_version(client, connection.host)
        if not client.collection_exists(name):
            _create(client, connection.local, name, dimension, settings)
        schema = _check_shape(client.get_collection(name), connection.host, name, dimension)
        for field in FILTER_FIELDS if not connection.local else ():
            if field not in schema:
                client.create_payload_index(name, field, models.PayloadSchemaType.KEYWORD, wait=True)


def _create(client: QdrantClient, local: bool, name: str, dimension: int, settings: QdrantSettings) -> None:
    try:
        client.create_collection(
            name,
            vectors_config=models.VectorParams(size=dimension, distance=models.Distance.COSINE),
            shard_number=settings.shard_number,
            replication_factor=settings.replication_factor,
            write_consistency_factor=settings.replication_factor,
            hnsw_config=models.HnswConfigDiff(m=settings.m, ef_construct=settings.ef_construct),
            optimizers_config=models.OptimizersConfigDiff(indexing_threshold=settings.indexing_threshold_kb),
            strict_mode_config=models.StrictModeConfig(
                enabled=True, unindexed_filtering_retrieve=False, unindexed_filtering_update=False
            ),
            metadata=MADE_BY,
        )
    except Exception:
        # Somebody may have made it since we asked; its shape is checked next, whoever made it.
        if local or not client.collection_exists(name):
            raise


def _check_version(client: QdrantClient, host: str) -> None:
    version = client.info().version
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if numbers < OLDEST:
        raise Permanent(f"{STORE} at {host} is version {version}: Lockstep needs 1.19 or newer")


def _check_shape(info: models.CollectionInfo, host: str, name: str, dimension: int) -> Mapping[str, Any]:
    vectors = info.config.params.vectors
    if info.config.metadata != MADE_BY:
        raise foreign(host, name, "it does not carry our mark")
    if not isinstance(vectors, models.VectorParams):
        raise foreign(host, name, "its vectors have names")
    if (vectors.size, vectors.distance) != (dimension, models.Distance.COSINE):
        raise foreign(host, name, f"it holds vectors of {vectors.size} numbers under {vectors.distance.value} distance")
    if other := _other_type(info.payload_schema):
        raise other_schema(host, name, other)
    return info.payload_schema


def _other_type(schema: Mapping[str, models.PayloadIndexInfo]) -> str | None:
    keyword = models.PayloadSchemaType.KEYWORD
    return next((field for field in FILTER_FIELDS if field in schema and schema[field].data_type != keyword), None)


def other_schema(host: str, name: str, field: str) -> ForeignIndex:
    """A filter field is indexed as something else than keywords."""
    return foreign(host, name, f"its field {field} is not indexed as keywords")
