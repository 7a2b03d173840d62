"""The collection of a Qdrant server that the settings describe."""

from ingest.adapters.qdrant.connection import Connection
from ingest.adapters.qdrant.index import QdrantIndex
from ingest.adapters.qdrant.settings import QdrantSettings
from ingest.settings import QdrantVector


def open_qdrant(knobs: QdrantVector, name: str, dimension: int) -> QdrantIndex:
    """The physical index of a generation; nothing is sent yet."""
    key = knobs.api_key.get_secret_value() if knobs.api_key else None
    settings = QdrantSettings(shard_number=knobs.shards, replication_factor=knobs.replicas)
    return QdrantIndex(Connection(knobs.url, api_key=key), name, dimension=dimension, settings=settings)
