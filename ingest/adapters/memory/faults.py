"""Faults that a fake store commits when a test asks for them."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from ingest.errors import StoreUnavailable


@dataclass(frozen=True, slots=True)
class Fault:
    """Raise `error` after a share of the call's items has been applied: 0 nothing, 0.5 the first half, 1 everything."""

    applied: float = 0.0
    error: Exception = field(default_factory=lambda: StoreUnavailable("a store in memory", "this process", "injected"))

    def share(self, items: int) -> int:
        """How many of a call's items are applied before the error."""
        return round(items * self.applied)


class Faults:
    """What goes wrong next, per call (`add`, `delete`, `search` …).

    Queued faults come first, one a call; then `choose` is asked, with the call's name, for every call.
    `calls` counts the calls, `committed` the faults.
    """

    def __init__(self, choose: Callable[[str], Fault | None] = lambda _: None) -> None:
        self.choose = choose
        self.calls: Counter[str] = Counter()
        self.committed: Counter[str] = Counter()
        self._queued: defaultdict[str, deque[Fault]] = defaultdict(deque)
        self._lock = Lock()

    def fail_next(self, call: str, *faults: Fault) -> None:
        """Let the next calls of this name fail, one fault a call; without a fault given, before anything is applied."""
        with self._lock:
            self._queued[call].extend(faults or (Fault(),))

    def take(self, call: str) -> Fault | None:
        """The fault that this call must commit, if any."""
        with self._lock:
            self.calls[call] += 1
            queued = self._queued[call]
            fault = queued.popleft() if queued else self.choose(call)
            if fault is not None:
                self.committed[call] += 1
            return fault
