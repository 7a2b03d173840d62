"""Connections to the index file: one that writes, as many that read as there are threads reading."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from ingest.adapters.sqlite_fts import schema
from ingest.adapters.sqlite_fts.errors import foreign, gone
from ingest.adapters.sqlite_fts.settings import SqliteFtsSettings


class Connections:
    """Opens connections when they are first needed and keeps them until `close`, after which they open anew."""

    def __init__(self, path: Path, settings: SqliteFtsSettings) -> None:
        self._path = path
        self._settings = settings
        self._writing = Lock()
        self._writer: sqlite3.Connection | None = None
        self._pooling = Lock()
        self._idle: list[sqlite3.Connection] = []
        self._era = 0

    def make(self) -> None:
        """Make the file and its tables, unless they are there. Raises ForeignIndex when something else is."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
        with self._writing:
            if self._writer is not None:
                return
            connection = self._connect()
            try:
                if self._empty(connection):
                    _make_schema(connection)
            finally:
                connection.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The writing connection inside a transaction, which is committed at the end or rolled back by an error."""
        with self.alone() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            try:
                connection.execute("COMMIT")
            except sqlite3.Error:  # the disk is full, say: nothing of the transaction may stay
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """The writing connection outside a transaction, while no other thread writes."""
        with self._writing:
            if self._writer is None:
                self._writer = self._open()
            yield self._writer

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that nobody else uses meanwhile."""
        with self._pooling:
            era, connection = self._era, self._idle.pop() if self._idle else None
        if connection is None:
            connection = self._open()
            connection.execute("PRAGMA query_only = ON")
        kept = False
        try:
            yield connection
        finally:
            with self._pooling:
                if kept := era == self._era:
                    self._idle.append(connection)
            if not kept:
                connection.close()

    def close(self) -> None:
        """Close what is open; reading connections in use are closed when their call ends."""
        with self._pooling:
            self._era += 1
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
        with self._writing:
            writer, self._writer = self._writer, None
            if writer is not None:
                writer.close()

    def _open(self) -> sqlite3.Connection:
        connection = self._connect()
        empty = True
        try:
            empty = self._empty(connection)
        finally:
            if empty:
                connection.close()
        if empty:
            raise gone(self._path)
        return connection

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self._path.absolute().as_uri()}?mode=rw",
            uri=True,
            timeout=self._settings.busy_timeout_s,
            isolation_level=None,
            check_same_thread=False,
        )
        if self._settings.largest_pages is not None:
            connection.execute(f"PRAGMA max_page_count = {int(self._settings.largest_pages)}")
        connection.execute("PRAGMA synchronous = FULL")  # publish relies on what was added: P4
        return connection

    def _empty(self, connection: sqlite3.Connection) -> bool:
        """Whether nothing is in the file yet. Raises ForeignIndex when what is there is not ours."""
        application, version, tables = connection.execute(schema.IDENTITY).fetchone()
        if (application, version) == (schema.APPLICATION_ID, schema.SCHEMA_VERSION):
            return False
        if application or version or tables:
            raise foreign(self._path)
        return True


def _make_schema(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in schema.SCHEMA:
            connection.execute(statement)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
