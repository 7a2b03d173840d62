"""Marks: single facts about the installation, such as the mark of a process that runs on the embedded stores."""

from sqlalchemy import Connection, delete, select

from ingest.catalog.database import insert_new
from ingest.catalog.tables import marks

RUNNING = "running"


def get(tx: Connection, name: str) -> str | None:
    """A mark's value."""
    return tx.execute(select(marks.c.value).where(marks.c.name == name)).scalar_one_or_none()


def put(tx: Connection, name: str, value: str) -> None:
    """Set a mark."""
    clear(tx, name)
    tx.execute(insert_new(tx, marks).values(name=name, value=value))


def clear(tx: Connection, name: str) -> None:
    """Take a mark away."""
    tx.execute(delete(marks).where(marks.c.name == name))
