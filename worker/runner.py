"""The embedded loop: scan, watch, drain, upkeep, serve; one process, a thread for each.

Watches start before the first scan, so that nothing falls between the two.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ingest.catalog import documents, folders, indexing, marks
from ingest.errors import LockstepError, SourceUnavailable, Superseded, Transient
from ingest.indexing.look import LookOutcome
from ingest.indexing.pipeline import Drained
from ingest.lockstep import Lockstep, Source
from ingest.model.event import Event
from ingest.ports import Watcher
from ingest.upkeep.audit import Audited
from worker.upkeep import Upkeep

log = logging.getLogger(__name__)

PATIENCE_S = 10.0
"""How long a single pass goes on trying when nothing moves."""
IDLE_S = 1.0
"""The longest a drain waits for the doorbell before it looks for due work by itself."""


@dataclass(slots=True)
class Once:
    """What one pass over everything did."""

    scanned: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    drained: Drained = field(default_factory=Drained)
    mended: Audited | None = None
    incomplete: bool = False
    """A source could not be read, or work still waits for its next try."""


def mend(lockstep: Lockstep) -> Audited | None:
    """After an unclean stop, compare both embedded stores with the catalog before anything is served.

    What is missing is published again from the cache, extras are deleted, access fields become due.
    """
    with lockstep.database.read() as tx:
        unclean = marks.get(tx, marks.RUNNING) is not None
    if not unclean:
        return None
    if lockstep.settings.embedded:
        # One opener, and the one before is dead: its leases would keep documents waiting for `lease_s`, and a single
        # pass would give up before.
        with lockstep.database.write() as tx:
            documents.end_looks(tx)
            folders.end_looks(tx)
            indexing.end_leases(tx)
    audited = lockstep.audit.run()
    done = lockstep.audit.repair(audited)
    log.info("mended", extra={"event": "start.mended", **done})
    return audited


def mark_running(lockstep: Lockstep) -> None:
    """From now on a stop without `mark_stopped` is unclean."""
    with lockstep.database.write() as tx:
        marks.put(tx, marks.RUNNING, "1")


def mark_stopped(lockstep: Lockstep) -> None:
    """A clean stop: everything is on disk."""
    lockstep.lexical.flush()
    lockstep.vector.flush()
    with lockstep.database.write() as tx:
        marks.clear(tx, marks.RUNNING)


def sync_directories(lockstep: Lockstep) -> list[str]:
    """Bring memberships to what the directories say; returns one line per directory that gave no complete answer."""
    problems = []
    for sync in lockstep.directory_syncs():
        try:
            sync.run()
        except SourceUnavailable as error:
            problems.append(f"directory {sync.name}: {error}; memberships stay as they were")
        except Superseded:
            continue  # another sync of this directory reads something newer
    return problems


def scan_all(lockstep: Lockstep, once: Once) -> None:
    """Scan every source."""
    for source in lockstep.sources:
        try:
            scanned = lockstep.scan(source).run()
        except SourceUnavailable as error:
            once.problems.append(f"source {source.name}: {error}")
            once.incomplete = True
            continue
        once.scanned[source.name] = scanned.listed
        once.problems += scanned.problems


def run_once(lockstep: Lockstep, progress: Callable[[Drained], None] = lambda _: None) -> Once:
    """Mend, sync directories, scan, drain until nothing is due, and stop cleanly."""
    once = Once()
    once.mended = mend(lockstep)
    mark_running(lockstep)
    once.problems += sync_directories(lockstep)
    scan_all(lockstep, once)
    lockstep.sweep.run()
    _drain_all(lockstep, once, progress)
    mark_stopped(lockstep)
    return once


def _drain_all(lockstep: Lockstep, once: Once, progress: Callable[[Drained], None]) -> None:
    moved_at = time.monotonic()
    while True:
        looked = lockstep.look()
        for source in lockstep.sources:
            lockstep.scan(source).finish()
        done = lockstep.drain(progress)
        _sum(once.drained, done)
        wait = next_due(lockstep)
        if wait is None:
            return
        if done.documents or looked.keys() - {LookOutcome.AGAIN, LookOutcome.UNAVAILABLE}:
            moved_at = time.monotonic()
        if time.monotonic() - moved_at > PATIENCE_S:
            once.problems.append("some work keeps failing and waits for its next try: see `lockstep status`")
            once.incomplete = True
            return
        time.sleep(min(max(wait, 0.0), IDLE_S))


def next_due(lockstep: Lockstep) -> float | None:
    """Seconds until something that is not held becomes due; None when nothing waits."""
    with lockstep.database.read() as tx:
        waits = [
            indexing.next_ready(tx, lockstep.generation.id),
            documents.next_look(tx),
            folders.next_look(tx),
        ]
    found = [wait for wait in waits if wait is not None]
    return min(found) if found else None


class Runner:
    """Runs until told to stop."""

    def __init__(
        self, lockstep: Lockstep, watcher_of: Callable[[Source], Watcher], progress: Callable[[Drained], None]
    ) -> None:
        self._lockstep = lockstep
        self._watchers = {source.id: watcher_of(source) for source in lockstep.sources}
        self._progress = progress
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._scan_due = threading.Event()
        self.ready = threading.Event()
        """Set once the first scan is drained."""

    def start(self) -> None:
        """Mend, watch, scan, and begin to drain; returns when the threads run."""
        lockstep = self._lockstep
        mend(lockstep)
        mark_running(lockstep)
        sync_directories(lockstep)
        for source in lockstep.sources:
            self._watchers[source.id].start(self._accept_of(source.id))
        self._scan_due.set()
        upkeep = Upkeep(lockstep, self._stopping, self._scan_due, self._watchers)
        for name, loop in (("drain", self._drain), ("upkeep", upkeep.loop), ("directories", upkeep.directories)):
            thread = threading.Thread(target=loop, name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """Let every thread end its step, then stop cleanly. Waits."""
        self._stopping.set()
        for watcher in self._watchers.values():
            watcher.stop()
        self._lockstep.doorbell.ring("changes")
        for thread in self._threads:
            thread.join()
        mark_stopped(self._lockstep)

    def _accept_of(self, source_id: int) -> Callable[[Sequence[Event]], None]:
        def accept(events: Sequence[Event]) -> None:
            self._lockstep.acceptor.accept(source_id, events)

        return accept

    def _drain(self) -> None:
        unfinished = False
        while not self._stopping.is_set():
            try:
                unfinished = self._scan() or unfinished
                self._lockstep.drain(self._progress)
                # a source counts as synced only when the looks that its scan caused are done
                unfinished = unfinished and not self._finish_scans()
                wait = next_due(self._lockstep)
                if wait is None:
                    self.ready.set()
            except Transient as error:
                log.warning("drain failed", extra={"event": "drain.failed", "reason": str(error)})
                wait = IDLE_S
            except LockstepError as error:
                log.error("drain failed", extra={"event": "drain.failed", "reason": str(error)})  # noqa: TRY400 -- one line
                wait = IDLE_S
            except Exception:
                log.exception("drain failed", extra={"event": "drain.failed"})
                wait = IDLE_S
            if not self._scan_due.is_set():
                self._lockstep.doorbell.wait("changes", IDLE_S if wait is None else min(max(wait, 0.002), IDLE_S))

    def _scan(self) -> bool:
        if not self._scan_due.is_set():
            return False
        self._scan_due.clear()
        scan_all(self._lockstep, once := Once())
        for problem in once.problems:
            log.warning("scan", extra={"event": "scan.problem", "problem": problem})
        return True

    def _finish_scans(self) -> bool:
        finished = [self._lockstep.scan(source).finish() for source in self._lockstep.sources]
        return all(finished)


def _sum(total: Drained, done: Drained) -> None:
    for name in ("documents", "embedded", "reused", "added", "closed", "held", "failed"):
        setattr(total, name, getattr(total, name) + getattr(done, name))
    total.epoch = done.epoch or total.epoch
