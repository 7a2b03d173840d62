"""Remove a source: nobody reads it at the commit; its documents end after, in pages."""

from dataclasses import dataclass

from ingest.catalog import folders, inbox, sources
from ingest.catalog.database import Connection
from ingest.errors import Refused
from ingest.indexing.orphans import end_orphans
from ingest.lockstep import Lockstep


@dataclass(frozen=True, slots=True)
class RemovedSource:
    """What was removed. The source must leave the settings too, or every start says so."""

    source: str
    documents: int
    in_settings: bool


def remove_source(lockstep: Lockstep, name: str) -> RemovedSource:
    """Raises Refused for an unknown source."""
    with lockstep.database.write() as tx:
        source_id = known(tx, name)
        documents = sources.live_documents(tx, source_id)
        sources.remove(tx, source_id)
        # its folders end with it, in the same transaction: nobody looks at them any more, and their documents follow
        root = folders.find(tx, source_id, "")
        if root is not None:
            inbox.end_folders(tx, folders.delete(tx, root), outcome="its source was removed")
    while end_orphans(lockstep.database):
        pass
    lockstep.doorbell.ring("changes")
    return RemovedSource(name, documents, name in lockstep.settings.sources)


def known(tx: Connection, name: str) -> int:
    """The id of a source. Raises Refused for an unknown one."""
    source_id = sources.named(tx, name)
    if source_id is None:
        raise Refused(f"no source {name!r}: `lockstep source list` names them")
    return source_id
