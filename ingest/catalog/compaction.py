"""Have deleted words leave the catalog's files."""

from ingest.catalog.database import Database


def compact(database: Database) -> bool:
    """Rewrite the catalog without what was deleted. True when its files are rid of it.

    SQLite overwrites deleted rows (`secure_delete`); what is left is the write-ahead log. PostgreSQL's VACUUM makes
    space reusable; its own log and backups follow their own retention.
    """
    with database.engine.connect() as connection:
        raw = connection.execution_options(isolation_level="AUTOCOMMIT")
        if database.dialect == "sqlite":
            plain = raw.connection.driver_connection
            if plain is None:
                return False
            plain.rollback()
            plain.execute("VACUUM")
            busy, *_ = plain.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not busy
        for table in ("contents", "records", "inbox", "embeddings"):
            raw.exec_driver_sql(f"VACUUM {table}")
    return False
