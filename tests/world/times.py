"""Stored times, moved back instead of waited for."""

from sqlalchemy import Column, Table, update

from ingest.catalog.database import Database, db_now
from ingest.catalog.tables import documents, embeddings, epoch_samples, folders, generations, inbox, indexing, records
from ingest.catalog.tables import sources as source_rows

_TIMES = {
    source_rows: ("synced_at",),
    folders: ("looked_at", "look_ready_at", "deleted_at"),
    documents: ("looked_at", "look_ready_at", "look_since", "deleted_at"),
    indexing: ("ready_at",),
    records: ("condemned_at", "deleted_once_at"),
    epoch_samples: ("at",),
    embeddings: ("used_at",),
    inbox: ("accepted_at", "done_at"),
    generations: ("publishing_paused_until",),
}


def age(database: Database, seconds: float) -> None:
    """Everything stored happened, or falls due, so many seconds earlier."""
    with database.write() as tx:
        for table, names in _TIMES.items():
            times = [table.c[name] for name in names]
            tx.execute(update(table).values({time: time - seconds for time in times}))


def expire_leases(database: Database) -> None:
    """Every lease that somebody holds has run out: of looks and of indexing."""
    leased: tuple[tuple[Table, Column[bool], Column[float]], ...] = (
        (indexing, indexing.c.leased, indexing.c.ready_at),
        (documents, documents.c.look_leased, documents.c.look_ready_at),
        (folders, folders.c.look_leased, folders.c.look_ready_at),
    )
    with database.write() as tx:
        for table, held, until in leased:
            tx.execute(update(table).where(held).values({until: db_now() - 1.0}))
