"""In how many rows words stand, remembered for as long as that hardly changes."""

import sqlite3
from collections.abc import Collection
from threading import Lock

from ingest.adapters.sqlite_fts import statements

WORTH_REMEMBERING = 100
"""Rarer words are looked up in microseconds each time, so that a new word is never thought absent."""
MOST_REMEMBERED = 20_000
CHANGE = 0.2
"""A figure is looked up again when the index has grown or shrunk by this share since."""


class Frequency:
    """Counts rows and words. A word's figure may be off by the share of rows that came or went since: it decides what
    a question can do without, not what is found."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._total: int | None = None
        self._rows: dict[str, tuple[int, int]] = {}

    def changed(self, rows: int) -> None:
        """Note that rows were added (or, when negative, deleted)."""
        with self._lock:
            if self._total is not None:
                self._total += rows

    def forget(self) -> None:
        """Count anew at the next question."""
        with self._lock:
            self._total = None
            self._rows.clear()

    def total(self, connection: sqlite3.Connection) -> int:
        """How many rows there are."""
        with self._lock:
            if self._total is None:
                self._total = int(connection.execute(statements.COUNT_ROWS).fetchone()[0])
            return self._total

    def rows(self, connection: sqlite3.Connection, stems: Collection[str]) -> dict[str, int]:
        """In how many rows each stem stands."""
        total = self.total(connection)
        return {stem: self._known(stem, total) or self._look_up(connection, stem, total) for stem in stems}

    def _known(self, stem: str, total: int) -> int | None:
        rows, then = self._rows.get(stem, (None, 0))
        return rows if abs(total - then) <= CHANGE * then else None

    def _look_up(self, connection: sqlite3.Connection, stem: str, total: int) -> int:
        found = connection.execute(statements.ROWS_WITH_WORD, (stem,)).fetchone()
        rows = int(found[0]) if found else 0
        if rows >= WORTH_REMEMBERING:
            with self._lock:
                if len(self._rows) >= MOST_REMEMBERED:
                    self._rows.clear()
                self._rows[stem] = (rows, total)
        return rows
