"""Upkeep of the embedded loop: epoch samples and vacuum, flushes, directories, scans, retention, optimising."""

import logging
import threading
import time
from collections.abc import Callable, Mapping

from ingest.catalog import generations
from ingest.errors import LockstepError, SourceUnavailable
from ingest.lockstep import Lockstep
from ingest.ports import Optimisable, Watcher

log = logging.getLogger(__name__)

_HOUR_S = 3600.0
_DIRECTORY_S = 1.0


class Upkeep:
    """Does each kind of upkeep at its own interval. A failure is logged and tried again at the next one."""

    def __init__(
        self,
        lockstep: Lockstep,
        stopping: threading.Event,
        scan_due: threading.Event,
        watchers: Mapping[int, Watcher],
    ) -> None:
        self._lockstep = lockstep
        self._stopping = stopping
        self._scan_due = scan_due
        self._watchers = watchers
        self._flushed_epoch = -1

    def loop(self) -> None:
        """Until stopping."""
        knobs = self._lockstep.settings
        every: list[tuple[float, Callable[[], object]]] = [
            (knobs.upkeep.flush_s, self._flush),
            (knobs.upkeep.sample_s, self._lockstep.vacuum.run),
            (1.0, self._ask_watchers),
            (knobs.watch.scan_every_s, self._scan_due.set),
            (_HOUR_S, self._lockstep.retention.run),
            (_HOUR_S, self._sweep),
            (knobs.upkeep.sample_s, self._optimise),
        ]
        due = [time.monotonic() + seconds for seconds, _ in every]
        while not self._stopping.wait(0.2):
            for i, (seconds, task) in enumerate(every):
                if time.monotonic() >= due[i]:
                    self._do(task)
                    due[i] = time.monotonic() + seconds

    def directories(self) -> None:
        """Groups files are small and read often: a leave or a join is in force about a second after the save."""
        while not self._stopping.wait(_DIRECTORY_S):
            for sync in self._lockstep.directory_syncs():
                self._do(sync.run)

    def _do(self, task: Callable[[], object]) -> None:
        try:
            task()
        except SourceUnavailable as error:
            log.warning("source unavailable", extra={"event": "upkeep.unavailable", "reason": str(error)})
        except LockstepError as error:
            log.warning("upkeep failed", extra={"event": "upkeep.failed", "reason": str(error)})
        except Exception:
            log.exception("upkeep failed", extra={"event": "upkeep.failed"})

    def _sweep(self) -> None:
        if self._lockstep.sweep.run():
            self._lockstep.doorbell.ring("changes")

    def _flush(self) -> None:
        lockstep = self._lockstep
        with lockstep.database.read() as tx:
            active = generations.active(tx)
        epoch = active.epoch if active else 0
        if epoch != self._flushed_epoch:
            lockstep.lexical.flush()
            lockstep.vector.flush()
            self._flushed_epoch = epoch

    def _ask_watchers(self) -> None:
        if any(not watcher.healthy for watcher in self._watchers.values()):
            self._scan_due.set()
            self._lockstep.doorbell.ring("changes")

    def _optimise(self) -> None:
        vector = self._lockstep.vector
        if isinstance(vector, Optimisable) and vector.needs_optimising():
            vector.optimise()
