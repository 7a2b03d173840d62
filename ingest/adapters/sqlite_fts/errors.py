"""SQLite's errors in our own tree."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ingest.errors import ForeignIndex, GenerationGone, LockstepError, RecordRejected, StoreFull, StoreUnavailable

STORE: Final = "the embedded lexical index"
DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise what the port promises in place of what SQLite raises."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise RecordRejected(f"a record of {path} cannot be stored: half a surrogate pair is no text") from error
    except sqlite3.Error as error:
        raise translate(error, path) from error


def translate(error: sqlite3.Error, path: Path) -> LockstepError:
    """Our error for one of SQLite's; extended result codes count as their primary ones."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return StoreFull(f"no space is left for {path}: free some, then the waiting documents go on by themselves")
    if code in DAMAGED:
        return ForeignIndex(f"{path} is damaged or no SQLite database: move it away and build the index anew")
    if code == sqlite3.SQLITE_CANTOPEN and not path.exists():
        return gone(path)
    return StoreUnavailable(STORE, str(path), str(error))


def gone(path: Path) -> GenerationGone:
    """There is no index at this path."""
    return GenerationGone(f"there is no lexical index at {path}")


def foreign(path: Path) -> ForeignIndex:
    """Something else is at this path."""
    return ForeignIndex(f"{path} is a database that this version of Lockstep did not make: move it away")
