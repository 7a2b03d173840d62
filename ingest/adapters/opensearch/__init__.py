"""The lexical index of servers: OpenSearch 2.19 or newer."""

from ingest.adapters.opensearch.index import OpenSearchIndex
from ingest.adapters.opensearch.settings import OpenSearchSettings

__all__ = ["OpenSearchIndex", "OpenSearchSettings"]
