"""The database's settings that decide whether an acknowledged change survives a power loss."""

from collections.abc import Iterator

from sqlalchemy import Connection

_POSTGRESQL = {
    "fsync": ({"on"}, "set fsync = on: without it a crash can lose what was acknowledged"),
    "full_page_writes": ({"on"}, "set full_page_writes = on"),
    "synchronous_commit": (
        {"on", "local", "remote_write", "remote_apply"},
        "set synchronous_commit = on; with failover use a synchronous standby",
    ),
}


def look(tx: Connection) -> Iterator[tuple[str, str, bool, str]]:
    """(setting, value, whether it is good, what to do)."""
    if tx.dialect.name == "sqlite":
        mode = str(tx.exec_driver_sql("PRAGMA journal_mode").scalar_one())
        yield "journal_mode", mode, mode == "wal", "open the catalog with Lockstep alone: it sets WAL"
        level = int(tx.exec_driver_sql("PRAGMA synchronous").scalar_one())
        yield "synchronous", str(level), level >= 2, "open the catalog with Lockstep alone: it sets FULL"
        return
    for name, (good, do) in _POSTGRESQL.items():
        value = str(tx.exec_driver_sql(f"SHOW {name}").scalar_one())
        yield name, value, value in good, do
