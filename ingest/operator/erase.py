"""Erase a document: at once nothing returns it, its rows are gone, and its words leave the files of every store."""

from dataclasses import dataclass

from ingest.catalog import compaction, documents, embeddings, overview, retention
from ingest.indexing.accept import end_document
from ingest.lockstep import Lockstep
from ingest.model.chunk import InputHash
from ingest.model.record import RecordId
from ingest.operator import find

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased. `stores` says per store whether its files are rid of the words: done or pending."""

    document: str
    records: int
    stores: dict[str, str]
    still_at_source: bool
    """The file still exists: it comes back at the next scan unless it is removed or excluded."""
    note: str = "backups made before still hold the document: erase it there as well"


def erase(lockstep: Lockstep, named: str) -> Erased:
    """Raises Refused for an unknown document, StoreUnavailable when a store does not answer: run it again then.

    Order: first nobody reads it (one transaction), then both stores, then the rows, then the files.
    """
    with lockstep.database.write() as tx:
        document_id = find.document(tx, named)
        key = documents.keys(tx, [document_id])[document_id]
        row = documents.get(tx, document_id)
        documents.lock(tx, [document_id])
        end_document(tx, document_id, outcome="erased")
    with lockstep.database.read() as tx:
        ids, hashes = overview.words_of(tx, document_id)
    for start in range(0, len(ids), _PAGE):
        page = [RecordId(i) for i in ids[start : start + _PAGE]]
        lockstep.lexical.delete(page)
        lockstep.vector.delete(page)
    with lockstep.database.write() as tx:
        overview.forget_records(tx, document_id)
        retention.forget_documents(tx, [document_id])
        embeddings.forget(tx, [InputHash(h) for h in hashes])
    stores = {
        "lexical": "done"
        if lockstep.lexical.compact()
        else "pending: the server removes deleted words in its own time",
        "vector": "done" if lockstep.vector.compact() else "pending: the server removes deleted points in its own time",
        "catalog": "done" if compaction.compact(lockstep.database) else "pending: the database reuses the space",
    }
    source = next((s for s in lockstep.sources if row is not None and s.id == row.source_id), None)
    there = source is not None and source.content.identity(key) is not None
    return Erased(key, len(ids), stores, there)


def _told(done: bool, otherwise: str) -> str:
    return "done" if done else f"pending: {otherwise}"
