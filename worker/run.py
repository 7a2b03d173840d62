"""`lockstep run`: hold the data folder, open the installation, run until told to stop, or once."""

import os
import signal
import threading
from collections.abc import Callable
from contextlib import ExitStack

from ingest.bootstrap import bootstrap, open_watcher
from ingest.indexing.pipeline import Drained
from ingest.lockstep import Lockstep
from ingest.settings import Settings
from worker.client import WAIT_S
from worker.directory_lock import DirectoryLock
from worker.runner import Once, Runner, run_once

Progress = Callable[[Drained], None]


def once(settings: Settings, progress: Progress = lambda _: None) -> Once:
    """Scan, drain and stop. Raises AlreadyRunning, and what opening raises."""
    with ExitStack() as stack:
        if settings.embedded:
            stack.enter_context(DirectoryLock(settings.data, wait_s=WAIT_S))
        return run_once(stack.enter_context(bootstrap(settings)), progress)


def until_stopped(settings: Settings, ready: Callable[[Lockstep], None], progress: Progress = lambda _: None) -> None:
    """Run until SIGINT or SIGTERM. `ready` is called once the API answers and the watches are in place."""
    from worker.api.server import serving  # noqa: PLC0415 -- a second that `run --once` need not wait

    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    with ExitStack() as stack:
        lock = stack.enter_context(DirectoryLock(settings.data, wait_s=WAIT_S)) if settings.embedded else None
        lockstep = stack.enter_context(bootstrap(settings))
        runner = Runner(lockstep, lambda source: open_watcher(settings, source), progress)
        runner.start()
        stack.callback(runner.stop)
        if lock is not None:
            lock.publish(stack.enter_context(serving(lockstep, os.getpid())))
        ready(lockstep)
        stopping.wait()
