"""Recognise moves: a row is kept only if the old path is gone, the new one has no document of its own, and device,
inode and size agree. Anything else is delete and create, which embeds nothing either.
"""

from dataclasses import dataclass

from ingest.catalog import documents, generations, inbox, indexing
from ingest.catalog.database import Connection
from ingest.errors import Transient
from ingest.model.source import FileIdentity
from ingest.ports import ContentSource


@dataclass(frozen=True, slots=True)
class Place:
    """A document row and where it stands."""

    id: int
    source_id: int
    folder_id: int
    name: str
    key: str


def heir(tx: Connection, source: ContentSource, gone: Place, identity: FileIdentity | None) -> Place | None:
    """The unseen document that now has the file which went from `gone`."""
    if identity is None:
        return None
    found = documents.with_inode(tx, gone.source_id, identity, gone.id, seen=False)
    return _only(tx, gone.source_id, [i for i in found if _is_at(source, documents.keys(tx, [i])[i], identity)])


def mover(tx: Connection, source: ContentSource, new: Place, identity: FileIdentity) -> Place | None:
    """The known document whose file is now at `new`, its own path being gone."""
    found = documents.with_inode(tx, new.source_id, identity, new.id, seen=True)
    return _only(tx, new.source_id, [i for i in found if _is_gone(source, documents.keys(tx, [i])[i])])


def move(tx: Connection, source: ContentSource, *, mover: Place, placeholder: Place) -> bool:
    """Give the mover's row the placeholder's place; it is hidden until the next look, which is due at once.

    False when that is no longer right: one of them was ended, moved or looked at since, or a file is at the old place
    again. The last is asked under the lock, so that an event about such a file comes to a row of its own:
    1) a look finds the old path gone
    2) a file is made there anew, and its hint is accepted
    3) the row moves, and the hint with it: nobody looks at the old path
    Tests: tests/fault/test_vanishing_rows.py
    """
    places = {(place.folder_id, place.name): place.id for place in (mover, placeholder)}
    if not documents.lock_at(tx, places) or not _is_gone(source, mover.key):
        return False
    if not documents.drop_placeholder(tx, placeholder.id):
        return False
    inbox.move(tx, placeholder.id, mover.id)
    documents.rename(
        tx,
        mover.id,
        source_id=mover.source_id,
        old_key=mover.key,
        folder_id=placeholder.folder_id,
        name=placeholder.name,
    )
    for generation in generations.maintained(tx):
        indexing.make_access_due(tx, generation.id, [mover.id])
    return True


def _only(tx: Connection, source_id: int, found: list[int]) -> Place | None:
    if len(found) != 1:
        return None
    row = documents.get(tx, found[0])
    if row is None:
        return None
    return Place(row.id, source_id, row.folder_id, row.name, documents.keys(tx, found)[row.id])


def _is_at(source: ContentSource, key: str, identity: FileIdentity) -> bool:
    seen = _identity(source, key)
    return seen is not None and (seen.device, seen.inode, seen.size) == (
        identity.device,
        identity.inode,
        identity.size,
    )


def _is_gone(source: ContentSource, key: str) -> bool:
    try:
        return source.identity(key) is None
    except Transient:
        return False


def _identity(source: ContentSource, key: str) -> FileIdentity | None:
    try:
        return source.identity(key)
    except Transient:
        return None
