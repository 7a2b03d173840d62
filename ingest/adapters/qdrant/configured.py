"""The Qdrant collection that the settings describe."""

from ingest.adapters.qdrant.connection import Connection
from ingest.adapters.qdrant.index import QdrantIndex
from ingest.adapters.qdrant.settings import QdrantSettings
from ingest.settings import QdrantVector


def open_qdrant(knobs: QdrantVector, collection: str, dimension: int) -> QdrantIndex:
    """The collection of a generation; nothing is sent yet."""
    connection = Connection(knobs.url, api_key=knobs.api_key.get_secret_value() if knobs.api_key else None)
    settings = QdrantSettings(replication_factor=knobs.replicas, shard_number=knobs.shards)
    return QdrantIndex(connection, collection, dimension=dimension, settings=settings)
