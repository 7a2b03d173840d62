"""The vector index of servers: Qdrant 1.19 or newer."""

from ingest.adapters.qdrant.connection import Connection
from ingest.adapters.qdrant.index import QdrantIndex
from ingest.adapters.qdrant.settings import QdrantSettings

__all__ = ["Connection", "QdrantIndex", "QdrantSettings"]
