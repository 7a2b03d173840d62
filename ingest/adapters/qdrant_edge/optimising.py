"""Exchanging the shard in use for an optimised copy, while searches and writes go on."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from threading import Lock

import qdrant_edge as edge

from ingest.adapters.points import pages
from ingest.adapters.qdrant_edge.child import Child
from ingest.adapters.qdrant_edge.errors import STORE, translated
from ingest.adapters.qdrant_edge.layout import Layout
from ingest.adapters.qdrant_edge.live import LiveShard, Numbered
from ingest.adapters.qdrant_edge.settings import QdrantEdgeSettings
from ingest.adapters.qdrant_edge.shard import WRITTEN, load
from ingest.errors import StoreUnavailable
from ingest.failpoints import failpoint
from ingest.model.record import RecordId

FEW = 200
"""Touched ids that may be carried over while writes wait."""


class Optimiser:
    """One optimisation at a time. A kill at any moment leaves the old shard in use, or the new one, whole."""

    def __init__(self, layout: Layout, dimension: int, settings: QdrantEdgeSettings) -> None:
        self._layout = layout
        self._dimension = dimension
        self._settings = settings
        self._running = Lock()
        self._child = Child("ingest.adapters.qdrant_edge.optimise")

    def run(self, live: LiveShard, *, rewrite: bool = False) -> None:
        """Optimise a copy in a child process and put it in use. With `rewrite` the copy holds nothing deleted.

        Writes wait while files are copied and while the last changes are carried over. Raises StoreFull,
        StoreUnavailable (also when `stop` was called): the shard in use is then as it was.
        """
        with self._running:
            self._refuse_when_stopped()
            copied = self._layout.unused()
            number = copied + 1 if rewrite else copied
            try:
                self._copy(live, self._layout.path(copied))
                failpoint("edge.copied")
                self._in_child(self._layout.path(copied), self._layout.path(number))
                failpoint("edge.optimised")
                old = self._put_in_use(live, number)
            except BaseException:
                self._remove(copied, number)
                raise
            finally:
                live.unwatch()
            failpoint("edge.exchanged")
            live.retire(old)
            self._layout.sync()  # before the old shard goes: a power loss may bring its name back
            self._remove(old.number, *{copied} - {number})
            failpoint("edge.removed")

    def stop(self) -> None:
        """End a running optimisation, and allow no other."""
        self._child.stop()
        with self._running:
            pass

    def _refuse_when_stopped(self) -> None:
        if self._child.stopped:
            raise StoreUnavailable(STORE, str(self._layout.directory), "it is being closed")

    def _copy(self, live: LiveShard, target: Path) -> None:
        with live.writing(()) as used, translated(target):
            live.watch()
            used.shard.flush()
            source = self._layout.path(used.number)
            self._layout.need(3 * _size(source) + self._settings.reserve_bytes)
            shutil.copytree(source, target)

    def _in_child(self, copy: Path, result: Path) -> None:
        into = ["--into", str(result)] if result != copy else []
        shape = {"dimension": self._dimension, "settings": asdict(self._settings)}
        with translated(copy):
            code, said = self._child.run([str(copy), *into], json.dumps(shape))
        if code != 0:
            raise StoreUnavailable(STORE, str(copy), f"optimising ended with {code}: {said}")

    def _put_in_use(self, live: LiveShard, number: int) -> Numbered:
        new = Numbered(number, load(self._layout.path(number), self._dimension, self._settings))
        try:
            while len(ids := live.touched()) > FEW:
                self._carry_over(live, new, ids)
            self._carry_over(live, new, ids)
            failpoint("edge.caught_up")
            # Here no write may come between the last look at what was touched and the exchange:
            #   1) ids are carried over     2) a record is added, to the old shard, and acknowledged
            #   3) the new shard is put in use: the record is gone
            # `writing` holds 2) back until after 3). Test: test_what_is_written_meanwhile_is_in_the_copy
            with live.writing(()), translated(self._layout.directory):
                self._carry_over(live, new, live.touched())
                new.shard.flush()
                self._layout.point_to(number)
                return live.exchange(new)  # at once: from here on the old shard is opened by nobody
        except BaseException:
            new.shard.close()
            raise

    def _carry_over(self, live: LiveShard, new: Numbered, ids: Sequence[RecordId]) -> None:
        for page in pages(ids):
            with live.reading() as used, translated(self._layout.directory):
                stored = used.shard.retrieve(list(page), True, True)
                points = [
                    edge.Point(point.id, point.vector or [], {**(point.payload or {}), WRITTEN: new.number})
                    for point in stored
                ]
                if points:
                    new.shard.update(edge.UpdateOperation.upsert_points(points))
                gone = set(page) - {str(point.id) for point in stored}
                if gone:
                    new.shard.update(edge.UpdateOperation.delete_points([*gone]))

    def _remove(self, *numbers: int) -> None:
        for number in set(numbers):
            shutil.rmtree(self._layout.path(number), ignore_errors=True)


def _size(directory: Path) -> int:
    """Bytes on the disk; files of the log have holes."""
    return sum(path.stat().st_blocks * 512 for path in directory.rglob("*") if path.is_file())
