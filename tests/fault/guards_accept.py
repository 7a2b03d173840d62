"""Guards of accept, each taken away alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from sqlalchemy import Connection, Table, insert

from ingest.catalog import documents, folders, inbox
from ingest.indexing import accept
from tests.fault.modules import module_with


def _insert(tx: Connection, table: Table) -> Any:
    return insert(table)


@contextmanager
def expecting_a_row_that_somebody_else_makes() -> Iterator[None]:
    """A row that was not there a moment ago is inserted without looking."""
    with patch.object(folders, "insert_new", _insert), patch.object(documents, "insert_new", _insert):
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
