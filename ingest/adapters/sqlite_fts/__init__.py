"""The embedded lexical index: SQLite FTS5 in a file of its own."""

from ingest.adapters.sqlite_fts.index import SqliteFtsIndex
from ingest.adapters.sqlite_fts.settings import SqliteFtsSettings

__all__ = ["SqliteFtsIndex", "SqliteFtsSettings"]
