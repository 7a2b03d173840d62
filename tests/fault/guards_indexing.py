"""Guards of staging, publishing and vacuum, each taken away alone."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

from sqlalchemy import update

from ingest.catalog import access_clock, principals, records
from ingest.catalog.database import Connection
from ingest.catalog.tables import membership_tombstones
from ingest.indexing import chunks, publisher
from ingest.model.chunk import ChunkNaming
from ingest.model.record import RecordId
from ingest.model.source import Membership
from ingest.upkeep import directory_sync
from tests.fault.guards_reading import deciding
from tests.fault.modules import module_with


@contextmanager
def giving_closed_records_the_time_of_the_change() -> Iterator[None]:
    """`stale_since` is when the record was closed, not when its text became out of date."""

    def close_all(tx: Connection, closing: Iterable[tuple[RecordId, int]], epoch: int) -> None:
        now = access_clock.read(tx)
        records.close_all(tx, [(record, now) for record, _ in closing], epoch)

    with patch.object(publisher, "records", module_with(records, close_all=close_all)):
        yield


@contextmanager
def giving_closed_records_any_time() -> Iterator[None]:
    """`stale_since` stays empty, and empty means never out of date."""

    def close_all(tx: Connection, closing: Iterable[tuple[RecordId, int]], epoch: int) -> None:
        rows = [{"b_id": record, "b_epoch": epoch, "b_stale": None} for record, _ in closing]
        if rows:
            tx.execute(records._CLOSE, rows)

    with (
        patch.object(publisher, "records", module_with(records, close_all=close_all)),
        deciding("coalesce(c.stale_since, -1)", "c.stale_since"),
    ):
        yield


@contextmanager
def stamping_removed_edges() -> Iterator[None]:
    """Leaving a group counts as a narrowing, which needs no stamp."""

    def remove_edges(tx: Connection, removed: Iterable[Membership]) -> int:
        count = principals.remove_edges(tx, removed)
        tx.execute(update(membership_tombstones).values(removed_at=0))
        return count

    with patch.object(directory_sync, "principals", module_with(principals, remove_edges=remove_edges)):
        yield


@contextmanager
def giving_metadata_to_the_record() -> Iterator[None]:
    """A chunk is the same whatever its metadata, so its record stays."""

    def naming(document_id: int, _metadata: Sequence[str]) -> ChunkNaming:
        return ChunkNaming(document_id, ())

    with patch.object(chunks, "ChunkNaming", naming):
        yield
