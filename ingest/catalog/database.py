"""Connections and transactions, alike on PostgreSQL and SQLite."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Double, Engine, Row, Select, Table, create_engine, event, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.sql.functions import FunctionElement

from ingest.errors import StoreFull, StoreUnavailable

__all__ = ["AnyRow", "Connection", "Database", "db_now", "for_change", "insert_new", "now", "ping"]

AnyRow = Row[*tuple[Any, ...]]


class db_now(FunctionElement[float]):  # noqa: N801 -- reads as the SQL function it is
    """Seconds since 1970 by the database's own clock, as of the start of the statement.

    Leases, backoffs and graces compare this and nothing else, so that no worker's clock matters.
    """

    type = Double()
    inherit_cache = True
    name = "db_now"


@compiles(db_now, "postgresql")
def _now_postgresql(_element: db_now, _compiler: Any, **_: Any) -> str:
    return "extract(epoch FROM statement_timestamp())::double precision"


@compiles(db_now, "sqlite")
def _now_sqlite(_element: db_now, _compiler: Any, **_: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


def now(tx: Connection) -> float:
    """What the database's clock says."""
    return tx.execute(select(db_now())).scalar_one()


class Database:
    """Where transactions come from. `write` sees and changes the newest state; `read` never waits for writers."""

    def __init__(self, url: str) -> None:
        parsed = make_url(url)
        self.dialect = parsed.get_backend_name()
        self.host = parsed.host or parsed.database or "?"
        # errors quote no parameters: they hold texts of documents
        if self.dialect == "sqlite":
            self._writer = _sqlite_engine(parsed, begin="BEGIN IMMEDIATE")
            # a second engine, or searches would queue behind writers
            self._reader = _sqlite_engine(parsed, begin="BEGIN", query_only=True)
        else:
            self._writer = self._reader = create_engine(
                parsed, pool_size=16, max_overflow=16, pool_pre_ping=True, hide_parameters=True
            )

    @property
    def engine(self) -> Engine:
        """The writing engine, for migrations."""
        return self._writer

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction: commits at the end of the block, rolls back on an error.

        Raises StoreUnavailable when the database does not answer, StoreFull when its disk is full.
        """
        with _translated(self.host), self._writer.begin() as tx:
            yield tx

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One reading transaction on the primary database. Raises StoreUnavailable."""
        with _translated(self.host), self._reader.begin() as tx:
            yield tx

    def close(self) -> None:
        """Close every connection."""
        self._writer.dispose()
        if self._reader is not self._writer:
            self._reader.dispose()


SelectT = TypeVar("SelectT", bound=Select[Any])


def for_change(statement: SelectT, *, skip_locked: bool = False) -> SelectT:
    """Lock the rows of a SELECT against change, on tables that other tables reference. SQLite has one writer.

    FOR NO KEY UPDATE, since an INSERT that references a row locks its key, and FOR UPDATE is in the way of that:
    1) accept locks a document, and waits for its indexing row
    2) stage, which holds that row, inserts a record that references the document, and waits for 1)
    Here 2) goes on at once. Tests: tests/fault/test_lock_order.py
    """
    return statement.with_for_update(key_share=True, skip_locked=skip_locked)


def insert_new(tx: Connection, table: Table) -> Any:
    """An INSERT that leaves existing rows alone: `insert_new(tx, t).values(…)`."""
    if tx.dialect.name == "sqlite":
        return sqlite.insert(table).on_conflict_do_nothing()
    return postgresql.insert(table).on_conflict_do_nothing()


def _sqlite_engine(url: URL, *, begin: str, query_only: bool = False) -> Engine:
    if url.database:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    waits = {"timeout": 60, "check_same_thread": False}
    engine = create_engine(url, pool_size=16, max_overflow=16, connect_args=waits, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _entry: ConnectionPoolEntry) -> None:
        # pysqlite would BEGIN late and DEFERRED: two writers then fail instead of waiting for each other
        connection.isolation_level = None
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            connection.execute(f"PRAGMA {pragma}")
        if query_only:
            connection.execute("PRAGMA query_only=ON")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


@contextmanager
def _translated(host: str) -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        reason = str(error.orig)
        if "is full" in reason or "No space left" in reason:
            raise StoreFull(f"no space is left for the catalog at {host}: free some, then run again") from error
        raise StoreUnavailable("the catalog", host, reason.splitlines()[0]) from error


def ping(tx: Connection) -> None:
    """One round trip."""
    tx.execute(text("SELECT 1"))
