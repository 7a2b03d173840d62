"""How the schedules are forced, and how each is run a second time with its guard switched off."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Generic

import pytest

from ingest.adapters.memory.faults import Fault
from ingest.adapters.memory.index import MemoryIndex
from tests.world import Pause, Worker, World
from tests.world.threads import ResultT

Removal = Callable[[], AbstractContextManager[object]]
"""Takes one guard away while its context lasts."""

GUARDED = "guarded"


def guarded_by(*removals: Removal, harm: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run the test as it is, and once with each guard taken away: then it must fail, saying `harm`."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        without = {f"without-{removal.__name__}": removal for removal in removals}

        def run(guard: str, **fixtures: Any) -> None:
            if guard == GUARDED:
                test(**fixtures)
                return
            with without[guard](), pytest.raises(AssertionError, match=harm):
                test(**fixtures)

        parameters = [
            *inspect.signature(test).parameters.values(),
            inspect.Parameter("guard", inspect.Parameter.KEYWORD_ONLY, annotation=str),
        ]
        run.__name__, run.__qualname__, run.__doc__ = test.__name__, test.__qualname__, test.__doc__
        run.__module__ = test.__module__
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        pytest.mark.parametrize("guard", [GUARDED, *without])(run)
        return run

    return decorate


@dataclass(frozen=True)
class Held(Generic[ResultT]):
    """A step that is held in a thread of its own."""

    worker: Worker[ResultT]
    release: Callable[[], None]

    def result(self) -> ResultT:
        """Wait for its end; what it returned, or the error it ended with."""
        return self.worker.result()


@contextmanager
def held(world: World, point: str, step: Callable[[], ResultT]) -> Iterator[Held[ResultT]]:
    """Run a step in a thread and hold it at a failpoint during the block; its end is waited for, its error raised."""
    with world.pause_at(point) as pause:
        worker = world.start_worker(step, f"held at {point}")
        pause.wait()
        try:
            yield Held(worker, pause.release)
        finally:
            pause.release()
            worker.wait()
    worker.result()


@contextmanager
def held_in_store(store: MemoryIndex, call: str, world: World, step: Callable[[], ResultT]) -> Iterator[Held[ResultT]]:
    """The same at the next call of this name to a store, before the store has done anything."""
    pause, before = Pause(f"{call} of a store"), store.faults.choose

    def choose(name: str) -> Fault | None:
        if name == call:
            pause.hold()
        return before(name)

    store.faults.choose = choose
    worker = world.start_worker(step, f"held in {call}")
    pause.wait()
    try:
        yield Held(worker, pause.release)
    finally:
        store.faults.choose = before
        pause.release()
        worker.wait()
    worker.result()
