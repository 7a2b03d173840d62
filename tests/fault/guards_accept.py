"""Guards of accept and of claims, each taken away alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from sqlalchemy import Connection, Table, insert, update

from ingest.catalog import documents, folders, inbox, indexing, tables
from ingest.catalog.indexing import Lease
from ingest.indexing import accept, pipeline
from tests.fault.modules import module_with


def _insert(tx: Connection, table: Table) -> Any:
    return insert(table)


@contextmanager
def expecting_a_row_that_somebody_else_makes() -> Iterator[None]:
    """A row that was not there a moment ago is inserted without looking."""
    with patch.object(folders, "insert_new", _insert), patch.object(documents, "insert_new", _insert):
        yield


@contextmanager
def leaving_out_known_events() -> Iterator[None]:
    """An event that is known is noticed only when it is noted, after its document was marked."""
    with patch.object(accept, "inbox", module_with(inbox, known=lambda *_: set())):
        yield


@contextmanager
def locking_documents_before_indexing_rows() -> Iterator[None]:
    """Accept takes the indexing rows first, and the documents when it comes to change them."""
    with patch.object(accept, "documents", module_with(documents, lock_at=lambda *_: True)):
        yield


@contextmanager
def asking_for_known_events_after_the_lock() -> Iterator[None]:
    """Whether an event is known is asked once, before the document is locked."""
    asked: set[str] = set()

    def known(tx: Connection, source_id: int, bodies: dict[str, Any]) -> set[str]:
        if bodies.keys() <= asked:
            return set()
        asked.update(bodies)
        return inbox.known(tx, source_id, bodies)

    with patch.object(accept, "inbox", module_with(inbox, known=known)):
        yield


@contextmanager
def counting_only_attempts_alone() -> Iterator[None]:
    """Every lease that ended without a verdict counts against a document, also one among others."""

    def claim(tx: Connection, generation_id: int, **rest: Any) -> list[Lease]:
        leases = indexing.claim(tx, generation_id, **rest)
        among = tables.indexing.c.document_id.in_([lease.document_id for lease in leases if not lease.alone])
        count = tables.indexing.c.attempts_alone + 1
        tx.execute(update(tables.indexing).where(among).values(attempts_alone=count))
        return leases

    with patch.object(pipeline, "indexing", module_with(indexing, claim=claim)):
        yield
