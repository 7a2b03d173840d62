"""Recognise a folder that moved: its row takes the new place, and everything below it stays as it is.

The row is kept only if the old path is gone and device and inode agree. The moved folder is readable by nobody until
the next look, which is due at once; that look stamps the widening and leaves the fan-out of the access fields.
"""

from ingest.catalog import documents, folders, inbox
from ingest.catalog.database import AnyRow, Connection, Database, now
from ingest.errors import SourceUnsettled, Transient
from ingest.failpoints import failpoint
from ingest.indexing import below
from ingest.indexing.accept import Acceptor
from ingest.model.event import DocumentHint, Event, FolderHint
from ingest.model.source import FolderSeen, Gone
from ingest.ports import ContentSource


def adopt(database: Database, acceptor: Acceptor, source: ContentSource, new: AnyRow, seen: FolderSeen) -> bool:
    """Whether the unseen folder `new` is a known one that moved here; then it is moved."""
    with database.read() as tx:
        since = now(tx)
        found = folders.with_inode(tx, new.source_id, seen.identity.device, seen.identity.inode, new.id, seen=True)
        old = folders.get(tx, found) if found is not None else None
        key = folders.chains(tx, [found])[found].key if found is not None else ""
        at = folders.chains(tx, [new.id])[new.id].key
    if old is None or not key or not _is_gone(source, key):
        return False
    if _move(database, acceptor, old, new.id, since):
        return True
    # in doubt it is made anew, and nobody else tells what lies below it
    below.hint_everything(database, acceptor, source, new, at)
    return False


def give_heir(database: Database, acceptor: Acceptor, source: ContentSource, gone: AnyRow, since: float) -> bool:
    """Whether the folder that went from `gone`, as was seen after `since`, stands elsewhere as an unseen one.

    Then it is moved there.
    """
    if gone.inode is None:
        return False
    with database.read() as tx:
        new = folders.with_inode(tx, gone.source_id, gone.device, gone.inode, gone.id, seen=False)
        key = folders.chains(tx, [new])[new].key if new is not None else ""
    if new is None or not key:
        return False
    try:
        seen = source.folder(key)
    except Transient:
        return False
    if isinstance(seen, Gone) or (seen.identity.device, seen.identity.inode) != (gone.device, gone.inode):
        return False
    return _move(database, acceptor, gone, new, since)


def _move(database: Database, acceptor: Acceptor, old: AnyRow, new: int, since: float) -> bool:
    failpoint("folder_move.before_lock")
    with database.write() as tx:
        # folder moves of a source are serial: two moves, each legal alone, could form a cycle
        folders.lock_root(tx, old.source_id)
        rows = {row.id: row for row in folders.get_all(tx, [old.id, new])}
        if len(rows) < 2 or any(row.deleted_at is not None for row in rows.values()):
            return False
        if rows[new].looked_at is not None or old.id in {link.id for link in folders.chains(tx, [new])[new].links}:
            return False
        # A folder that stands below the one whose place it takes would end with it:
        #   1) `b` moves into the unseen `a`, as `a/y`, and its row with it
        #   2) what was `b/x` becomes `a` itself, and its row, which stands below `a/y`, is to take the place of `a`
        # Found by tests/property/test_protocol.py (P5).
        if new in {link.id for link in folders.chains(tx, [old.id])[old.id].links}:
            return False
        # What is known at the old path moves along, so it must be what went from there:
        #   1) a look finds the old path gone
        #   2) a folder is made there anew, a document in it is hinted at and looked at, under the old row
        #   3) the old row takes the new place, and the document with it; nobody looks at the old path again
        # So anything that came up there since before 1) has everything looked at again.
        # Found by tests/property/test_protocol.py (P5).
        if rows[old.id].revision != old.revision or inbox.news_below(tx, [old.id, *folders.subtree(tx, old.id)], since):
            raise SourceUnsettled("a folder was made anew where another one had gone from")
        again = _placeholders(tx, new)
        for folder_id in folders.subtree(tx, new):
            inbox.move_folder(tx, folder_id, old.id)
        folders.replace(tx, old.id, placeholder=new)
        # in this transaction: events that waited below have just been ended, and a crash after it would lose them
        acceptor.note(tx, old.source_id, again)
        failpoint("folder_move.before_commit")
    failpoint("folder_move.after_commit")
    return True


def _placeholders(tx: Connection, folder_id: int) -> list[Event]:
    """What was hinted at below a folder that has not been looked at: dropped here, and hinted again after the move.

    A known document that was moved into it meanwhile ends with it; its hint finds it again at its key.
    """
    inside = folders.subtree(tx, folder_id)
    again: list[Event] = [FolderHint(chain.key) for i, chain in folders.chains(tx, inside).items() if i != folder_id]
    after = 0
    while page := documents.in_folders(tx, inside, after=after):
        after = page[-1].id
        keys = documents.keys(tx, [row.id for row in page])
        for row in page:
            again.append(DocumentHint(keys[row.id]))
            inbox.end_all(tx, row.id, version=0, outcome="superseded by a move")
            documents.drop_placeholder(tx, row.id)
    return again


def _is_gone(source: ContentSource, key: str) -> bool:
    try:
        return isinstance(source.folder(key), Gone)
    except Transient:
        return False
