"""The watch on a root: put in place, watched over, and put in place again when the root comes back."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import suppress

from watchdog.events import FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserverVFS

from ingest.adapters.filesystem.handler import WATCHED

if sys.platform == "linux":
    from watchdog.observers.inotify import InotifyObserver

    def _native() -> BaseObserver:
        # `full` tells what was moved in or out as a move, not as a creation that may still be written to
        return InotifyObserver(generate_full_events=True)

else:

    def _native() -> BaseObserver:
        return Observer()


log = logging.getLogger(__name__)


class Observation:
    """One watchdog observer at a time on one root. Used by one thread."""

    def __init__(self, root: str, handler: FileSystemEventHandler, poll_s: float | None) -> None:
        self._root = root
        self._handler = handler
        self._poll_s = poll_s
        self._observer: BaseObserver | None = None
        self._watched: tuple[int, int] | None = None
        self._said: str | None = None

    def intact(self) -> bool:
        """Whether all threads live and the root is still the folder that the watch was put on."""
        observer = self._observer
        return observer is not None and self._inode() == self._watched and all(_threads_live(observer))

    def renew(self) -> bool:
        """Drop what is left of the old watch and put a new one in place; False when that fails, logged once."""
        self.end()
        before = self._inode()
        if before is None:
            return False
        observer = _observer(self._poll_s)
        try:
            observer.schedule(self._handler, self._root, recursive=True, event_filter=WATCHED)
            observer.start()
        except OSError as error:
            _stop(observer)
            self._complain(error)
            return False
        self._observer, self._watched, self._said = observer, before, None
        return True

    def end(self) -> None:
        """Stop watching; returns when the threads have ended."""
        observer, self._observer, self._watched = self._observer, None, None
        if observer is not None:
            _stop(observer)

    def _inode(self) -> tuple[int, int] | None:
        try:
            status = os.stat(self._root)
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def _complain(self, error: OSError) -> None:
        reason = error.strerror or str(error)
        if reason != self._said:
            advice = "raise fs.inotify.max_user_watches and max_user_instances, or watch by polling"
            log.warning("cannot watch", extra={"event": "watch.failed", "reason": reason, "advice": advice})
        self._said = reason


def _observer(poll_s: float | None) -> BaseObserver:
    if poll_s is None:
        return _native()
    return PollingObserverVFS(os.lstat, os.scandir, polling_interval=poll_s)


def _threads_live(observer: BaseObserver) -> Iterator[bool]:
    yield observer.is_alive()
    yield bool(observer.emitters)
    yield from (emitter.is_alive() for emitter in observer.emitters)
    reader = getattr(observer, "_inotify_fd", None)  # its thread has no public name, and dies by itself too
    if reader is not None:
        yield reader.is_alive()


def _stop(observer: BaseObserver) -> None:
    observer.stop()
    with suppress(RuntimeError):  # it never started
        observer.join()
