"""Retention: forget done events, deleted documents and unused embeddings after a while."""

from dataclasses import dataclass

from ingest.catalog import embeddings, retention
from ingest.catalog.database import Database

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Retention:
    """Times in seconds."""

    database: Database
    inbox_s: float = 30 * 86_400.0
    documents_s: float = 30 * 86_400.0
    embeddings_s: float = 30 * 86_400.0

    def run(self) -> dict[str, int]:
        """One page of each; call it again while anything was dropped."""
        with self.database.write() as tx:
            return {
                "events": retention.drop_inbox(tx, self.inbox_s, _PAGE),
                "documents": retention.drop_documents(tx, self.documents_s, _PAGE),
                "embeddings": embeddings.drop_unused(tx, self.embeddings_s, _PAGE),
            }
