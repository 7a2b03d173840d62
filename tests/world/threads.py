"""Workers in threads, held at named points. Everything waits for events with a time limit, and nothing sleeps."""

import faulthandler
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from ingest import failpoints

LIMIT_S = 60.0
"""The longest a test waits for a thread. Reached, every thread's stack is written and the test fails."""

ResultT = TypeVar("ResultT")


class TookTooLong(Exception):
    """A thread did not get where it should have."""


def give_up(what: str) -> TookTooLong:
    """Write where every thread is, and an error to raise."""
    faulthandler.dump_traceback(sys.__stderr__ or 2, all_threads=True)
    return TookTooLong(f"{what} took longer than {LIMIT_S:.0f} s")


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for something that only shows when it is asked for, like a lock that a database session waits for."""
    between = threading.Event()
    for _ in range(int(LIMIT_S / 0.005)):
        if condition():
            return
        between.wait(0.005)
    raise give_up(what)


class Worker(Generic[ResultT]):
    """One step in a thread of its own."""

    def __init__(self, step: Callable[[], ResultT], name: str) -> None:
        self._step = step
        self._result: list[ResultT] = []
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        """Whether it has ended, well or not."""
        return not self._thread.is_alive()

    def wait(self) -> None:
        """Wait for its end, however it ends."""
        self._thread.join(LIMIT_S)
        if self._thread.is_alive():
            raise give_up(f"worker {self._thread.name}")

    def result(self) -> ResultT:
        """Wait for its end; what the step returned, or the error it ended with."""
        self.wait()
        if self.error is not None:
            raise self.error
        return self._result[0]

    def _run(self) -> None:
        try:
            self._result.append(self._step())
        except BaseException as error:
            self.error = error


class Pause:
    """A point at which the first thread that comes by is held; those after it pass."""

    def __init__(self, point: str) -> None:
        self._point = point
        self._first = threading.Lock()
        self._arrived = threading.Event()
        self._go_on = threading.Event()

    def wait(self) -> None:
        """Until a thread is held."""
        if not self._arrived.wait(LIMIT_S):
            raise give_up(f"getting to {self._point}")

    def release(self) -> None:
        """Let it go on."""
        self._go_on.set()

    def hold(self) -> None:
        """What a thread that comes by does."""
        if not self._first.acquire(blocking=False):
            return
        self._arrived.set()
        if not self._go_on.wait(LIMIT_S):
            raise give_up(f"being held at {self._point}")


@contextmanager
def pause_at(point: str) -> Iterator[Pause]:
    """Hold the first thread that passes a failpoint, until `release` or the end of the block."""
    pause = Pause(point)
    with failpoints.at(point, pause.hold):
        try:
            yield pause
        finally:
            pause.release()


@contextmanager
def once_at(point: str, action: Callable[[], object]) -> Iterator[None]:
    """Run `action` in whichever thread first passes a failpoint, and only then."""
    first = threading.Lock()

    def act() -> None:
        if first.acquire(blocking=False):
            action()

    with failpoints.at(point, act):
        yield


class Died(BaseException):
    """What a killed process is to the threads of a test: no handler of ours catches it."""


def die() -> None:
    """For `once_at`: the worker ends here, as if killed."""
    raise Died
