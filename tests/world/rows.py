"""What the catalog holds, for tests that look behind the answers."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import func, select, text

from ingest.catalog import access_clock, documents, folders, indexing, sources
from ingest.catalog.database import AnyRow, Database, db_now
from ingest.catalog.tables import documents as document_rows
from ingest.catalog.tables import inbox, records
from ingest.model.record import RecordId
from tests.world.threads import Worker, until


class Rows:
    """Reads the catalog of a world."""

    database: Database
    source_id: int
    generation_id: int

    def folder_id(self, key: str) -> int:
        """The live folder at a key."""
        with self.database.read() as tx:
            found = folders.find(tx, self.source_id, key)
        assert found is not None, f"no folder at {key!r}"
        return found

    def folder_row(self, key: str) -> AnyRow:
        """Its row."""
        with self.database.read() as tx:
            return folders.get(tx, self.folder_id(key))

    def document_id(self, key: str) -> int | None:
        """The live document at a key."""
        folder, _, name = key.rpartition("/")
        with self.database.read() as tx:
            at = folders.find(tx, self.source_id, folder)
            return None if at is None else documents.find(tx, at, name)

    def document_row(self, key: str) -> AnyRow:
        """Its row."""
        with self.database.read() as tx:
            row = documents.get(tx, self.known_id(key))
        assert row is not None
        return row

    def known_id(self, key: str) -> int:
        """The live document at a key, which must be there."""
        found = self.document_id(key)
        assert found is not None, f"no document at {key!r}"
        return found

    def indexing_row(self, key: str) -> AnyRow:
        """The indexing row of the document at a key."""
        with self.database.read() as tx:
            row = indexing.of_document(tx, self.generation_id, self.known_id(key))
        assert row is not None
        return row

    def live_documents(self) -> int:
        """How many documents are not deleted."""
        with self.database.read() as tx:
            statement = select(func.count()).select_from(document_rows).where(document_rows.c.deleted_at.is_(None))
            return tx.execute(statement).scalar_one()

    def record_rows(self) -> list[AnyRow]:
        """Every record."""
        with self.database.read() as tx:
            return list(tx.execute(select(records).order_by(records.c.order_key, records.c.id)))

    def ordered(self, ids: Collection[RecordId]) -> list[RecordId]:
        """Records in document order."""
        return [RecordId(row.id) for row in self.record_rows() if row.id in ids]

    def open_records(self) -> list[AnyRow]:
        """Records that are visible now."""
        return [row for row in self.record_rows() if row.from_epoch is not None and row.to_epoch is None]

    def source_row(self) -> AnyRow:
        """The source's row."""
        with self.database.read() as tx:
            return sources.get(tx, self.source_id)

    def waiting_events(self) -> int:
        """How many events no look has covered."""
        with self.database.read() as tx:
            return tx.execute(select(func.count()).select_from(inbox).where(inbox.c.done_at.is_(None))).scalar_one()

    def reaches_root(self, folder_id: int) -> bool:
        """Whether a folder's chain ends at a root."""
        with self.database.read() as tx:
            return folders.chains(tx, [folder_id])[folder_id].links[-1].parent_id is None

    def now(self) -> float:
        """The database's own clock."""
        with self.database.read() as tx:
            return tx.execute(select(db_now())).scalar_one()

    def clock(self) -> int:
        """The access clock."""
        with self.database.read() as tx:
            return access_clock.read(tx)

    def until_blocked(self, *workers: Worker[Any], sessions: int = 1) -> None:
        """Wait until so many sessions wait for a lock of PostgreSQL, or one of the workers has ended."""
        waiting = text(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )

        def blocked() -> bool:
            if any(worker.done for worker in workers):
                return True
            with self.database.read() as tx:
                return int(tx.execute(waiting).scalar_one()) >= sessions

        until(blocked, "a session to wait for a lock")
