"""Guards of hints, scans and of the strength of locks; each taken away alone."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from sqlalchemy import Connection, update

from ingest.catalog import folders, inbox, tables
from ingest.indexing import accept, look
from ingest.indexing.accept import Acceptor
from ingest.model.event import DocumentDeleted, DocumentHint, Event
from ingest.upkeep.scan import Scan
from tests.fault.modules import module_with


@contextmanager
def asking_for_later_events_before_an_end() -> Iterator[None]:
    """A look that found nothing ends the document, with every event that waits."""
    with patch.object(look, "inbox", module_with(inbox, waits_beyond=lambda *_: False)):
        yield


@contextmanager
def looking_before_a_hint_is_believed() -> Iterator[None]:
    """A hint that saw no file is a delete."""
    note = Acceptor.note

    def believe(self: Acceptor, tx: Connection, source_id: int, events: Sequence[Event], *ids: Any) -> int:
        said = [DocumentDeleted(e.key) if isinstance(e, DocumentHint) and e.identity is None else e for e in events]
        return note(self, tx, source_id, said, *ids)

    with patch.object(Acceptor, "note", believe):
        yield


@contextmanager
def refusing_looks_under_way() -> Iterator[None]:
    """A hint of an access file lets a look that began before it store what it read."""

    def hint(tx: Connection, folder_id: int, settle_s: float) -> None:
        folders.hint(tx, folder_id, settle_s)
        row = tables.folders.c.id == folder_id
        tx.execute(update(tables.folders).where(row).values(revision=tables.folders.c.revision - 1))

    with patch.object(accept, "folders", module_with(folders, hint=hint)):
        yield


@contextmanager
def comparing_listings() -> Iterator[None]:
    """A scan compares folders alone, and leaves documents to the watcher."""

    def nothing(*_: object) -> list[Event]:
        return []

    with patch.object(Scan, "_document_hints", nothing), patch.object(Scan, "_missing", nothing):
        yield
