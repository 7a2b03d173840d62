"""Have deleted words leave the catalog's files."""

from ingest.catalog.database import Database
from ingest.errors import StoreUnavailable

_TABLES = ("contents", "records", "inbox", "embeddings")
_WAIT_S = 20


def compact(database: Database) -> bool:
    """Rewrite the catalog without what was deleted. True when its files are rid of it.

    SQLite overwrites deleted rows (`secure_delete`); VACUUM leaves no free page and the checkpoint empties the
    write-ahead log: False when a reader held on to old pages. PostgreSQL's VACUUM makes the space of deleted rows
    usable again without overwriting it, and its own log is recycled in its own time: False.

    Runs outside a transaction. Raises StoreUnavailable when writers leave no room for it.
    """
    if database.dialect == "sqlite":
        return _compact_sqlite(database)
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for table in _TABLES:
            connection.exec_driver_sql(f"VACUUM {table}")
    return False


def _compact_sqlite(database: Database) -> bool:
    # the driver's own connection: one of SQLAlchemy's begins a transaction, and VACUUM runs in none
    pooled = database.engine.raw_connection()
    try:
        connection = pooled.driver_connection
        if connection is None:
            raise StoreUnavailable("the catalog", database.host, "closed")
        connection.execute(f"PRAGMA busy_timeout = {_WAIT_S * 1000}")
        connection.execute("VACUUM")
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except database.engine.dialect.loaded_dbapi.OperationalError as error:
        raise StoreUnavailable("the catalog", database.host, str(error)) from error
    finally:
        pooled.invalidate()
    return not busy
