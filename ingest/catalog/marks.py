"""Marks: single facts about the installation, such as the mark of a process that runs on the embedded stores."""

from sqlalchemy import Connection, delete, select, update

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


def count_up(tx: Connection, name: str) -> int:
    """The next number of a mark that counts, from 1. Locks it."""
    tx.execute(insert_new(tx, marks).values(name=name, value="0"))
    here = select(marks.c.value).where(marks.c.name == name).with_for_update()
    number = int(tx.execute(here).scalar_one()) + 1
    tx.execute(update(marks).where(marks.c.name == name).values(value=str(number)))
    return number


def is_at(tx: Connection, name: str, number: int) -> bool:
    """Whether a mark that counts still has this number. Locks it."""
    value = tx.execute(select(marks.c.value).where(marks.c.name == name).with_for_update()).scalar_one_or_none()
    return value == str(number)
