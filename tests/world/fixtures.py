"""Catalogs for worlds: a copy of a migrated SQLite file, or a migrated PostgreSQL database that is emptied."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import event, insert

from ingest.catalog import migrate
from ingest.catalog.database import Database
from ingest.catalog.tables import access_clock, metadata, principals
from tests.world.world import World


def migrated_file(path: Path) -> Path:
    """A SQLite catalog without a row of ours, to be copied."""
    database = Database(f"sqlite:///{path}")
    migrate.upgrade(database)
    database.close()
    return path


def quick(url: str) -> Database:
    """A catalog for one world after the other: statements are compiled once, and no power cut is survived."""
    database = Database(url)
    for engine in {database.engine, database._reader}:
        engine.pool._pre_ping = False
        if database.dialect == "sqlite":
            event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA synchronous=OFF"))
    return database


@contextmanager
def sqlite_world(template: Path, database: Database) -> Iterator[World]:
    """A world over a SQLite file, which becomes a copy of the template first."""
    file = database.engine.url.database
    assert file is not None
    for part in (file, f"{file}-wal", f"{file}-shm"):
        Path(part).unlink(missing_ok=True)  # whoever still has the one before open keeps that
    shutil.copy(template, file)
    yield from _world(database)


@contextmanager
def postgres_world(database: Database) -> Iterator[World]:
    """A world over a migrated PostgreSQL database, emptied first."""
    with database.write() as tx:
        for table in reversed(metadata.sorted_tables):
            tx.execute(table.delete())
        tx.execute(insert(access_clock).values(id=1, value=0))
        tx.execute(insert(principals).values(id=0, name="public"))
    yield from _world(database)


def _world(database: Database) -> Iterator[World]:
    world = World(database)
    try:
        yield world.begin()
    finally:
        world.close()
