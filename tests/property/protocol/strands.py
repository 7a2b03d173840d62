"""Strands: threads of which exactly one runs, held at failpoints and let go one by one.

A `Process` is what a crash kills: one strand, and those that it starts. Nothing here waits for time; which strand runs
is decided by the driver alone, so that a seed reproduces a run.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self


class Crashed(BaseException):
    """The process died here. No `BaseException` handler of the library may stop it."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a process is to stop: at the `nth` passing of a point, to be held there or to die."""

    point: str
    nth: int = 1
    crash: bool = False


class Strand:
    """One thread of a process."""

    def __init__(self, process: "Process", work: Callable[[], Any]) -> None:
        self.process = process
        self.go = threading.Semaphore(0)
        self.done = False
        self.result: Any = None
        self.error: BaseException | None = None
        self.waits: Callable[[], bool] | None = None
        self._work = work
        self.thread = threading.Thread(target=self._run, daemon=True, name=process.name)
        self.thread.start()

    @property
    def runnable(self) -> bool:
        """Whether it could go on."""
        return not self.done and (self.waits is None or self.process.dying or self.waits())

    def park(self) -> None:
        """Give the floor back to the driver; returns when the driver lets this strand go on."""
        self.process.floor.back.release()
        self.go.acquire()
        if self.process.dying:
            raise Crashed

    def wait_until(self, met: Callable[[], bool]) -> None:
        """Park until something is so."""
        while not met():
            self.waits = met
            self.park()
        self.waits = None

    def _run(self) -> None:
        self.go.acquire()
        try:
            if not self.process.dying:
                self.result = self._work()
        except BaseException as error:
            self.error = error
        finally:
            self.done = True
            self.process.floor.back.release()


@dataclass(eq=False)
class Process:
    """What a crash kills. `facts` is a place for what the model wants to remember of it."""

    floor: "Floor"
    name: str
    kind: str
    strands: list[Strand] = field(default_factory=list)
    stop: Stop | None = None
    held_at: str | None = None
    dying: bool = False
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def done(self) -> bool:
        """Whether nothing of it runs any more."""
        return all(strand.done for strand in self.strands)

    @property
    def main(self) -> Strand:
        """The first strand: its result is the process's."""
        return self.strands[0]

    @property
    def error(self) -> BaseException | None:
        """What ended it, unless it was a crash."""
        errors = [strand.error for strand in self.strands if strand.error and not isinstance(strand.error, Crashed)]
        return errors[0] if errors else None

    def start(self, work: Callable[[], Any]) -> Strand:
        """A strand more."""
        strand = Strand(self, work)
        self.strands.append(strand)
        return strand


class Floor:
    """Who may run. `passed` is told every point that a process passes, before it may be held there."""

    def __init__(self) -> None:
        self.back = threading.Semaphore(0)
        self.running: Strand | None = None
        self.passed: Callable[[Process, str], None] = lambda _process, _point: None
        self.writer: Strand | None = None

    @property
    def process(self) -> Process | None:
        """Whose turn it is; None while the driver itself acts."""
        return self.running.process if self.running else None

    def point(self, name: str) -> None:
        """What `ingest.failpoints.observer` is set to."""
        strand = self.running
        if strand is None or threading.current_thread() is not strand.thread:
            return
        process = strand.process
        if process.dying:
            raise Crashed
        self.passed(process, name)
        stop = process.stop
        if stop is not None and stop.point == name:
            process.stop = Stop(name, stop.nth - 1, stop.crash) if stop.nth > 1 else None
            if stop.nth <= 1:
                process.held_at = name
                process.dying = process.dying or stop.crash
                strand.park()
        elif len(process.strands) > 1:
            strand.park()  # so that the driver may let the other strand of this process go first

    def advance(self, process: Process, choose: Callable[[list[Strand]], Strand] = lambda strands: strands[-1]) -> None:
        """Let a process run until it stops, ends, or waits for another one."""
        process.held_at = None
        while process.held_at is None:
            runnable = [strand for strand in process.strands if strand.runnable]
            if not runnable:
                return
            self._let(choose(runnable))
        if process.dying:
            self.kill(process)

    def kill(self, process: Process) -> None:
        """Every strand of it dies where it stands."""
        process.dying = True
        for _ in range(1_000):
            alive = [strand for strand in process.strands if not strand.done]
            if not alive:
                return
            self._let(alive[-1])
        raise AssertionError(f"{process.name} does not die at {process.held_at}")

    def _let(self, strand: Strand) -> None:
        before, self.running = self.running, strand
        strand.go.release()
        self.back.acquire()
        self.running = before

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One writer at a time; a strand that comes second is parked until the first has committed."""
        strand = self.running
        if strand is None:
            yield
            return
        if strand.process.dying:
            raise Crashed
        strand.wait_until(lambda: self.writer is None)
        self.writer = strand
        try:
            yield
        finally:
            self.writer = None


class StrandFuture:
    """The part of `concurrent.futures.Future` that the library uses, over a strand."""

    def __init__(self, strand: Strand, floor: Floor) -> None:
        self._strand = strand
        self._floor = floor

    def exception(self) -> BaseException | None:
        """Wait for the strand's end."""
        me = self._floor.running
        assert me is not None
        me.wait_until(lambda: self._strand.done)
        return self._strand.error

    def result(self) -> Any:
        """Wait for what the strand returned, or raise what it raised."""
        if (error := self.exception()) is not None:
            raise error
        return self._strand.result


class InlineFuture:
    """A call that has been made."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._result: Any = None
        self._error: Exception | None = None
        try:
            self._result = call()
        except Exception as error:
            self._error = error

    def exception(self) -> BaseException | None:
        """What it raised."""
        return self._error

    def result(self) -> Any:
        """What it returned, or raise what it raised."""
        if self._error is not None:
            raise self._error
        return self._result


class Executor:
    """Stands in for `ThreadPoolExecutor`: calls become strands of the calling process, or are made at once."""

    def __init__(self, floor: Floor, *, strands: bool) -> None:
        self._floor = floor
        self._strands = strands
        self._started: list[Strand] = []

    def submit(self, call: Callable[..., Any], *args: Any, **named: Any) -> StrandFuture | InlineFuture:
        """Begin a call."""
        process = self._floor.process
        if process is None or not self._strands:
            return InlineFuture(lambda: call(*args, **named))
        strand = process.start(lambda: call(*args, **named))
        self._started.append(strand)
        return StrandFuture(strand, self._floor)

    def shutdown(self) -> None:
        """Nothing to release."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: object) -> None:
        me = self._floor.running
        if me is not None and not isinstance(error, Crashed):
            me.wait_until(lambda: all(strand.done for strand in self._started))
