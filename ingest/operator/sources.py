"""Remove a source: nobody reads it at the commit; its documents end after."""

from dataclasses import dataclass

from ingest.catalog import documents, sources
from ingest.errors import Refused
from ingest.indexing.accept import end_document
from ingest.lockstep import Lockstep

_PAGE = 500


@dataclass(frozen=True, slots=True)
class RemovedSource:
    """What was removed. The source must leave the settings too, or every start says so."""

    source: str
    documents: int


def remove_source(lockstep: Lockstep, name: str) -> RemovedSource:
    """Raises Refused for an unknown source."""
    with lockstep.database.write() as tx:
        source_id = sources.named(tx, name)
        if source_id is None:
            raise Refused(f"no source {name!r}: `lockstep source list` names them")
        sources.remove(tx, source_id)
    ended = 0
    while True:
        with lockstep.database.write() as tx:
            page = [row.id for row in documents.of_source(tx, source_id)][:_PAGE]
            documents.lock(tx, page)
            for document_id in page:
                end_document(tx, document_id, outcome="its source was removed")
        if not page:
            break
        ended += len(page)
    lockstep.doorbell.ring("changes")
    return RemovedSource(name, ended)
