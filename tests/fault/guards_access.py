"""Guards of looks, of access files and of moves, each taken away alone."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from sqlalchemy import Engine, event, update

from ingest.catalog import documents, folders, marks, tables
from ingest.catalog.database import Connection
from ingest.catalog.folders import Chain
from ingest.indexing import accept, below, folder_look, folder_moves, look, moves
from ingest.indexing.look import DocumentLook, Remembered
from ingest.model.access import PolicyKind
from ingest.upkeep import directory_sync
from tests.fault.modules import module_with


@contextmanager
def comparing_the_folders_revision() -> Iterator[None]:
    """A look stores what it read of an access file, whatever was stored meanwhile."""

    def changed(tx: Connection, folder_id: int, _revision: int, **values: Any) -> bool:
        return folders.changed(tx, folder_id, folders.get(tx, folder_id).revision, **values)

    with patch.object(folder_look, "folders", module_with(folders, changed=changed)):
        yield


@contextmanager
def comparing_the_documents_revision() -> Iterator[None]:
    """A look stores what it read of a document, whatever was stored meanwhile."""

    def changed(tx: Connection, document_id: int, *, revision: int, token: int, **values: Any) -> bool:
        row = tables.documents.c.id == document_id
        tx.execute(update(tables.documents).where(row).values(looked_at=folders.NOW, **values))
        return True

    with patch.object(look, "documents", module_with(documents, changed=changed)):
        yield


@contextmanager
def comparing_the_revisions_of_folders_above() -> Iterator[None]:
    """What a folder said when the look began is stored with the document."""

    def lock_shared(tx: Connection, folder_ids: list[int]) -> Any:
        return _Whatever()

    with patch.object(look, "folders", module_with(folders, lock_shared=lock_shared)):
        yield


class _Whatever:
    """Revisions that equal whatever they are compared with."""

    def get(self, _folder_id: int) -> Any:
        return _Equal()


class _Equal:
    def __eq__(self, _other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


@contextmanager
def hinting_at_what_changed_below() -> Iterator[None]:
    """A widening is stored without asking which files below it have changed."""

    def nothing(*_: object) -> None:
        pass

    with patch.object(folder_look, "below", module_with(below, hint_changed=nothing)):
        yield


@contextmanager
def closing_what_was_not_looked_at() -> Iterator[None]:
    """Folders are born to inherit, and documents do not wait for the looks at their folders."""
    remember, ensure = DocumentLook._remember, folders.ensure

    def looked_at(self: DocumentLook, tx: Connection, document_id: int, token: int) -> Remembered | None:
        known = remember(self, tx, document_id, token)
        if known is None:
            return None
        links = tuple(replace(link, looked_at=link.looked_at or 0.0) for link in known.chain.links)
        return replace(known, chain=Chain(links))

    def born_open(tx: Connection, source_id: int, keys: Any, *, born: PolicyKind) -> dict[str, int]:
        return ensure(tx, source_id, keys, born=PolicyKind.INHERIT)

    with (
        patch.object(DocumentLook, "_remember", looked_at),
        patch.object(accept, "folders", module_with(folders, ensure=born_open)),
    ):
        yield


@contextmanager
def closing_what_moved() -> Iterator[None]:
    """A folder that moved keeps its policy, as if it had stayed where it was."""

    def in_place(tx: Connection, folder_id: int, *, placeholder: int) -> None:
        policy = folders.get(tx, folder_id).policy
        folders.replace(tx, folder_id, placeholder=placeholder)
        tx.execute(update(tables.folders).where(tables.folders.c.id == folder_id).values(policy=policy))

    with patch.object(folder_moves, "folders", module_with(folders, replace=in_place)):
        yield


@contextmanager
def numbering_syncs() -> Iterator[None]:
    """Whoever read the directory applies it, however long ago that was."""

    def newest(_tx: Connection, _name: str, _number: int) -> bool:
        return True

    with patch.object(directory_sync, "marks", module_with(marks, is_at=newest)):
        yield


@contextmanager
def locking_no_keys() -> Iterator[None]:
    """Rows are locked FOR UPDATE, which is in the way of whoever inserts a row that names them."""

    def plain(_c: object, _cursor: object, sql: str, parameters: Any, _context: object, _many: bool) -> tuple[str, Any]:
        return sql.replace("FOR NO KEY UPDATE", "FOR UPDATE"), parameters

    event.listen(Engine, "before_cursor_execute", plain, retval=True)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", plain)


@contextmanager
def looking_once_more_for_what_was_locked() -> Iterator[None]:
    """Whatever became of a row while its lock was waited for, an event goes on with it."""

    def found_folders(tx: Connection, at: Mapping[str, int], *, change: bool) -> bool:
        folders.lock_at(tx, at, change=change)
        return True

    def found_documents(tx: Connection, places: Mapping[tuple[int, str], int]) -> bool:
        documents.lock_at(tx, places)
        return True

    with (
        patch.object(accept, "folders", module_with(folders, lock_at=found_folders)),
        patch.object(accept, "documents", module_with(documents, lock_at=found_documents)),
    ):
        yield


@contextmanager
def asking_for_the_old_path_under_the_lock() -> Iterator[None]:
    """A move is stored although a file may have been made at the old place since the look began."""
    with patch.object(moves, "_is_gone", lambda *_: True):
        yield


@contextmanager
def moving_only_what_is_still_there() -> Iterator[None]:
    """A move is stored although the document may have been ended since the look began."""
    with patch.object(moves, "documents", module_with(documents, lock_at=lambda *_: True)):
        yield
