"""Fresh catalogs for tests, in milliseconds: migrated once, then copied (SQLite) or emptied (PostgreSQL)."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
from psycopg import sql
from sqlalchemy import event
from sqlalchemy.engine import make_url

from ingest.catalog.database import Database
from ingest.catalog.migrate import upgrade
from ingest.catalog.tables import access_clock, metadata, principals


@contextmanager
def opened(url: str) -> Iterator[Database]:
    """A database that is closed at the end."""
    database = Database(url)
    try:
        yield database
    finally:
        database.close()


def _unsynced(connection: Any, _entry: Any) -> None:
    connection.execute("PRAGMA synchronous=OFF")


def sqlite_template(folder: Path) -> Path:
    """A migrated SQLite file to copy."""
    file = folder / "template.db"
    with opened(f"sqlite:///{file}") as database:
        upgrade(database)
        with database.engine.connect() as connection:
            connection.exec_driver_sql("ROLLBACK")  # a checkpoint needs no transaction
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return file


@contextmanager
def sqlite_copy(template: Path, folder: Path) -> Iterator[Database]:
    """A fresh copy of a migrated file."""
    file = folder / f"{uuid4().hex}.db"
    shutil.copyfile(template, file)
    with opened(f"sqlite:///{file}") as database:
        event.listen(database.engine, "connect", _unsynced)  # no test here pulls the plug
        yield database


@contextmanager
def postgresql_migrated(server_url: str) -> Iterator[Database]:
    """A migrated PostgreSQL database, dropped at the end. Share it: `emptied` is much faster than a new one."""
    with postgresql_empty(server_url) as url, opened(url) as database:
        upgrade(database)
        yield database


def emptied(database: Database) -> Database:
    """The same PostgreSQL database with no rows but those that every catalog has."""
    tables = [table.name for table in reversed(metadata.sorted_tables) if table not in {access_clock, principals}]
    emptying = [f"DELETE FROM {name}" for name in [*tables, "principals WHERE id <> 0"]]  # noqa: S608 -- our own names
    with database.write() as tx:
        tx.exec_driver_sql(";".join([*emptying, "UPDATE access_clock SET value = 0"]))
    return database


@contextmanager
def postgresql_empty(server_url: str) -> Iterator[str]:
    """URL of a new database, dropped at the end with whoever is still connected."""
    server = make_url(server_url)
    name = f"test_catalog_{uuid4().hex}"
    libpq_url = server.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(libpq_url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        admin.execute(sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(sql.Identifier(name)))
        try:
            yield server.set(database=name).render_as_string(hide_password=False)
        finally:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
