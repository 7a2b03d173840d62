"""Take holds off: documents are read and indexed again."""

from collections.abc import Collection

from ingest.catalog import documents, indexing
from ingest.lockstep import Lockstep


def retry(lockstep: Lockstep, document_ids: Collection[int] | None = None) -> int:
    """Some documents, or all that are held; returns how many holds were taken off."""
    with lockstep.database.write() as tx:
        looks = documents.retry_looks(tx, document_ids)
        return looks + indexing.retry(tx, document_ids)
