"""Catalogs for worlds: a copy of a migrated SQLite file, or a migrated PostgreSQL database that is emptied."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import insert

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


@contextmanager
def sqlite_world(template: Path, folder: Path) -> Iterator[World]:
    """A world over a SQLite file in `folder`."""
    shutil.copy(template, folder / "catalog.db")
    yield from _world(f"sqlite:///{folder / 'catalog.db'}")


@contextmanager
def postgres_world(url: str) -> Iterator[World]:
    """A world over a migrated PostgreSQL database, emptied first."""
    database = Database(url)
    with database.write() as tx:
        for table in reversed(metadata.sorted_tables):
            tx.execute(table.delete())
        tx.execute(insert(access_clock).values(id=1, value=0))
        tx.execute(insert(principals).values(id=0, name="public"))
    database.close()
    yield from _world(url)


def _world(url: str) -> Iterator[World]:
    world = World(Database(url))
    try:
        yield world.begin()
    finally:
        world.close()
