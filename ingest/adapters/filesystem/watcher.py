"""Watching a directory tree."""

import logging
import threading
from collections.abc import Callable, Sequence

from ingest.adapters.filesystem.changes import Changes
from ingest.adapters.filesystem.handler import ChangeHandler, Settling
from ingest.adapters.filesystem.hints import hints_of
from ingest.adapters.filesystem.observation import Observation
from ingest.adapters.filesystem.source import FileSource
from ingest.adapters.filesystem.vendor_log import LossListener, quieten
from ingest.errors import LockstepError, Transient
from ingest.model.event import Event

log = logging.getLogger(__name__)


class FileWatcher:
    """Implements `Watcher` with watchdog: inotify where there is one, polling where asked for (network mounts).

    watchdog's thread only notes where something happened. A pump thread gathers what happens within `gather_s` and
    hands the hints over; when `accept` raises Transient it keeps them and tries again. `start` returns with the watch
    in place, so a scan begun after it misses nothing; if the root is missing, or cannot be watched, it returns as
    well, is unhealthy, and tries again every `check_s`.
    """

    def __init__(
        self,
        source: FileSource,
        *,
        poll_s: float | None = None,
        settle_s: float = 0.05,
        quiet_s: float = 0.5,
        gather_s: float = 0.005,
        check_s: float = 1.0,
    ) -> None:
        """All in seconds. `poll_s` is the interval of polling; without it nothing is polled. `settle_s` and `quiet_s`
        are for hints after a close or rename, and without one."""
        self._source = source
        self._gather_s = gather_s
        self._check_s = check_s
        self._changes = Changes()
        root = str(source.root.absolute())
        self._observation = Observation(root, ChangeHandler(root, self._changes, Settling(settle_s, quiet_s)), poll_s)
        self._listener = LossListener(self._note_loss)
        self._lost = threading.Event()
        self._stopping = threading.Event()
        self._pump: threading.Thread | None = None

    def start(self, accept: Callable[[Sequence[Event]], None]) -> None:
        """See `Watcher.start`. A watcher starts once."""
        quieten()
        self._listener.attach()
        watching = self._observation.renew()
        if not watching:
            self._lost.set()
        self._pump = threading.Thread(target=self._run, args=(accept, watching), name="lockstep-watch", daemon=True)
        self._pump.start()

    def stop(self) -> None:
        """End all threads. Hints not yet handed over are lost: the scan at the next start finds what they meant."""
        self._stopping.set()
        self._changes.end()
        if self._pump is not None:
            self._pump.join()
        self._observation.end()
        self._listener.detach()

    @property
    def healthy(self) -> bool:
        """See `Watcher.healthy`. False once for each loss: when it is noticed, and when the watch is back in place."""
        lost = self._lost.is_set()
        self._lost.clear()
        return not lost

    def _note_loss(self) -> None:
        self._lost.set()

    def _run(self, accept: Callable[[Sequence[Event]], None], watching: bool) -> None:
        while not self._stopping.is_set():
            if self._changes.wait(self._check_s):
                self._stopping.wait(self._gather_s)
                if not self._deliver(accept):
                    self._stopping.wait(self._check_s)
            watching = self._watch_over(watching)

    def _watch_over(self, watching: bool) -> bool:
        if self._stopping.is_set() or (watching and self._observation.intact()):
            return watching
        if watching:
            self._lost.set()
            log.warning("watch lost", extra={"event": "watch.lost"})
        if not self._observation.renew():
            return False
        self._lost.set()  # what changed before the watch was back
        log.info("watch back", extra={"event": "watch.back"})
        return True

    def _deliver(self, accept: Callable[[Sequence[Event]], None]) -> bool:
        """False when the hints had to be kept."""
        touches = self._changes.take()
        try:
            hints = hints_of(self._source, touches)
            if hints:
                accept(hints)
        except Transient as error:
            self._changes.put_back(touches)
            log.warning("hints kept", extra={"event": "watch.kept", "hints": len(touches), "reason": str(error)})
            return False
        except LockstepError as error:
            self._lost.set()
            log.warning("hints refused", extra={"event": "watch.refused", "reason": str(error)})
        except Exception:  # the edge of a batch: one bad batch must not end the watch
            self._lost.set()
            log.exception("hints failed", extra={"event": "watch.failed", "hints": len(touches)})
        return True
