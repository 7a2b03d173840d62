"""The access clock: one row that every widening moves, last in its transaction.

A row and not a sequence, since its numbers must be in commit order: whoever moves it keeps its lock until the commit.
"""

from sqlalchemy import Connection, select, update

from ingest.catalog.tables import access_clock

_READ = select(access_clock.c.value)


def read(tx: Connection) -> int:
    """The value as of now, without a lock. An older value hides more, never less."""
    return tx.execute(_READ).scalar_one()


def advance(tx: Connection) -> int:
    """The next value. Locks the row: take every other lock of the transaction first."""
    statement = update(access_clock).values(value=access_clock.c.value + 1).returning(access_clock.c.value)
    return tx.execute(statement).scalar_one()
