"""What lies below a folder whose look is about to be stored: hints for documents that its change concerns."""

from ingest.catalog import documents, folders, indexing
from ingest.catalog.database import AnyRow, Connection, Database
from ingest.indexing.accept import Acceptor
from ingest.model.event import DocumentHint, Event, FolderHint
from ingest.model.source import FileIdentity
from ingest.ports import ContentSource

Known = dict[str, FileIdentity | None]

_ALL = 1_000_000


def hint_changed(database: Database, acceptor: Acceptor, source: ContentSource, row: AnyRow, key: str) -> None:
    """Before a widening, note which files below changed, so that their old text counts as out of date first.

    1) a file is redacted, and then its folder is shared; no event of the redaction arrived
    2) the look at the access file stores the sharing
    3) somebody newly allowed searches and gets the text from before the redaction
    The hints accepted here, before 2), carry an older clock than the widening's stamp, so 3) finds it pending.
    """
    known = _known(database, row.id)
    found = source.listing(key).documents
    differing = [DocumentHint(k, found[k]) for k, old in known.items() if k in found and old != found[k]]
    if differing:
        acceptor.accept(row.source_id, differing)


def hint_everything(database: Database, acceptor: Acceptor, source: ContentSource, row: AnyRow, key: str) -> None:
    """Another folder stands at this key than before (names were swapped): look at all that was or is below it.

    Accepted before the new folder's policy is stored, so that nobody newly allowed gets the old folder's texts. A root
    that is another one (unmounted, restored) ends nothing that it lacks: that is a drop, which a scan may hold. Until
    then such documents count as out of date, so that whoever the new root allows does not get them.
    """
    listing = source.listing(key)
    with database.read() as tx:
        chains = folders.chains(tx, folders.subtree(tx, row.id))
        known = _ids(tx, row.id)
    below = {chain.key for chain in chains.values()} | listing.folders.keys()
    names = known.keys() | listing.documents.keys()
    if row.parent_id is None:
        below, names = set(listing.folders), set(listing.documents)
        with database.write() as tx:
            indexing.mark_behind(tx, [i for name, i in known.items() if name not in names])
    hints: list[Event] = [FolderHint(k, listing.folders.get(k)) for k in sorted(below - {key})]
    hints += [DocumentHint(k, listing.documents.get(k)) for k in sorted(names)]
    acceptor.accept(row.source_id, hints)


def _ids(tx: Connection, folder_id: int) -> dict[str, int]:
    rows = documents.in_folders(tx, folders.subtree(tx, folder_id), limit=_ALL)
    return {key: i for i, key in documents.keys(tx, [row.id for row in rows]).items()}


def _known(database: Database, folder_id: int) -> Known:
    with database.read() as tx:
        rows = documents.in_folders(tx, folders.subtree(tx, folder_id), limit=_ALL)
        keys = documents.keys(tx, [row.id for row in rows])
    return {
        keys[row.id]: None if row.inode is None else FileIdentity(row.device, row.inode, row.size, row.mtime_ns or 0)
        for row in rows
    }
