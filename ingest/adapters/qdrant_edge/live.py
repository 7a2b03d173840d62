"""The shard in use, and the one place where it is exchanged for another."""

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition, RLock

import qdrant_edge as edge

from ingest.model.record import RecordId


@dataclass(frozen=True, eq=False)
class Numbered:
    """An open shard and its number in the directory."""

    number: int
    shard: edge.EdgeShard


class LiveShard:
    """Lets searches and one write at a time at the shard, and exchanges it under them.

    While a copy is in preparation, the ids that writes touch are remembered: bringing the copy up to date means
    carrying over what the shard holds under these ids now, however often they changed.
    """

    def __init__(self, open_: Numbered) -> None:
        self._open = open_
        self._writing = RLock()
        self._users: Counter[Numbered] = Counter()
        self._left = Condition()
        self._touched: set[RecordId] | None = None

    @contextmanager
    def reading(self) -> Iterator[Numbered]:
        """The shard, not closed before the block is left."""
        with self._left:
            used = self._open
            self._users[used] += 1
        try:
            yield used
        finally:
            with self._left:
                self._users[used] -= 1
                self._left.notify_all()

    @contextmanager
    def writing(self, ids: Collection[RecordId]) -> Iterator[Numbered]:
        """The shard, for a write under these ids; no other write runs meanwhile."""
        with self._writing:
            # Noted before the write: also one that fails may have been applied.
            if self._touched is not None:
                self._touched.update(ids)
            yield self._open

    def watch(self) -> None:
        """Begin to remember what writes touch. The caller holds writes back (`writing`)."""
        self._touched = set()

    def touched(self) -> list[RecordId]:
        """What was touched since the last time this was asked."""
        with self._writing:
            ids, self._touched = self._touched or set(), set()
            return sorted(ids)

    def unwatch(self) -> None:
        """Nothing more needs to be remembered."""
        with self._writing:
            self._touched = None

    def exchange(self, new: Numbered) -> Numbered:
        """Put another shard in use, and return the one before. The caller holds writes back (`writing`)."""
        with self._left:
            old, self._open = self._open, new
            return old

    def retire(self, old: Numbered) -> None:
        """Close a shard once nobody is in it."""
        with self._left:
            self._left.wait_for(lambda: not self._users[old])
            del self._users[old]
        old.shard.close()

    def close(self) -> None:
        """Close the shard in use once nobody is in it."""
        with self._writing:
            self.retire(self._open)
