"""Guards of `behind_at`, since when a document's text counts as out of date; each taken away alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from sqlalchemy import Connection, and_, exists, select

from ingest.catalog import access_clock, inbox, indexing, principals
from ingest.catalog.tables import inbox as events
from ingest.indexing import accept, look, publisher
from ingest.indexing.look import DocumentLook
from ingest.indexing.publisher import Publisher
from tests.fault.modules import module_with


@contextmanager
def marking_what_a_look_finds() -> Iterator[None]:
    """Only an accepted event makes a text count as out of date."""
    changed = module_with(indexing, mark_behind=lambda tx, _: access_clock.read(tx))
    with patch.object(look, "indexing", changed):
        yield


@contextmanager
def asking_the_inbox_after_the_lock_in_looks() -> Iterator[None]:
    """A look asks for later events when it begins, and believes the answer when it stores."""
    later: dict[int, bool] = {}
    remember = DocumentLook._remember

    def early(self: DocumentLook, tx: Connection, document_id: int, token: int) -> Any:
        unleased = and_(events.c.leased_by.is_distinct_from(token), events.c.done_at.is_(None))
        later[document_id] = bool(
            tx.execute(select(exists().where(events.c.document_id == document_id, unleased))).scalar_one()
        )
        return remember(self, tx, document_id, token)

    believed = module_with(inbox, waits=lambda _, document_id: later[document_id])
    with patch.object(DocumentLook, "_remember", early), patch.object(look, "inbox", believed):
        yield


@contextmanager
def asking_the_inbox_after_the_lock_in_publishes() -> Iterator[None]:
    """A publish asks for later events before its transaction."""
    asked: dict[int, int | None] = {}
    publish = Publisher.publish

    def early(self: Publisher, staged: Any) -> Any:
        with self._database.read() as tx:
            for plan in [document.plan for document in staged]:
                asked[plan.document_id] = inbox.oldest_uncovered(tx, plan.document_id, plan.version)
        return publish(self, staged)

    believed = module_with(inbox, oldest_uncovered=lambda _, document_id, __: asked[document_id])
    with patch.object(Publisher, "publish", early), patch.object(publisher, "inbox", believed):
        yield


@contextmanager
def locking_the_row_first() -> Iterator[None]:
    """The row is only read before the inbox is asked, so the UPDATE waits with an answer of before."""
    statement = indexing._LOCK_IN_ONE._clone()
    statement._for_update_arg = None
    with patch.object(indexing, "_LOCK_IN_ONE", statement):
        yield


@contextmanager
def marking_at_accept() -> Iterator[None]:
    """An accepted change is noted, and the text counts as out of date only once it has been looked at."""
    with patch.object(accept, "indexing", module_with(indexing, mark_behind=lambda tx, _: access_clock.read(tx))):
        yield


@contextmanager
def moving_the_clock_in_commit_order() -> Iterator[None]:
    """The clock is a sequence: its number is there for all before the widening that took it has committed."""

    def advance(tx: Connection) -> int:
        with tx.engine.begin() as own:
            return access_clock.advance(own)

    with patch.object(principals, "access_clock", module_with(access_clock, advance=advance)):
        yield
