"""What may be shown, and what must be, at every step of a run of changes: the ground truth for readers.

The writer says before each step what holds once it is done. A query that begins after step i was done and ends before
step k began must agree with some state in between: i, i + 1, … k - 1.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from threading import Lock

from tests.integration.library import Version


@dataclass(frozen=True, slots=True)
class Shown:
    """One document for one reader."""

    version: Version | None
    """What may be shown of it; None: nothing."""
    required: bool = True
    """Whether that must be found. False while a widening is on its way to the stores."""


NOTHING = Shown(None)

State = Mapping[tuple[str, int], Shown]
"""By reader and topic."""


class Truth:
    """The states, in the order of the steps."""

    def __init__(self, start: State) -> None:
        self._states: list[State] = [start]
        self._done = 0
        self._lock = Lock()

    @property
    def done(self) -> int:
        """The newest step that is over."""
        with self._lock:
            return self._done

    @property
    def begun(self) -> int:
        """The newest step that has begun."""
        with self._lock:
            return len(self._states) - 1

    def begin(self, after: State) -> None:
        """From now on a step is under way that ends in this state."""
        with self._lock:
            assert self._done == len(self._states) - 1, "one step at a time"
            self._states.append(after)

    def finish(self) -> None:
        """The step is over."""
        with self._lock:
            self._done = len(self._states) - 1

    def states(self, first: int, last: int) -> list[State]:
        """What held between two steps."""
        with self._lock:
            return self._states[first : last + 1]


def contradiction(
    states: Collection[State], reader: str, answer: Mapping[int, Version], asked: int | None
) -> str | None:
    """Why an answer agrees with none of the states, or None. `asked`: the topic that had to be found if it must be."""
    for topic in {*answer, *([] if asked is None else [asked])}:
        held = [state.get((reader, topic), NOTHING) for state in states]
        found = answer.get(topic, frozenset())
        allowed = {shown.version for shown in held if shown.version is not None}
        if found and not allowed:
            return f"forbidden: {reader} was shown {sorted(found)}"
        if found and not any(found <= version for version in allowed):
            return f"mixed or stale: {reader} was shown {sorted(found)}, allowed {[sorted(v) for v in allowed]}"
        # whoever could read the document all the time, or until it was withdrawn, sees all of it or, then, nothing
        settled = all(shown.required for shown in held)
        if topic == asked and settled and found and found not in allowed:
            return f"a hole: {reader} was shown {sorted(found)}, allowed {[sorted(v) for v in allowed]}"
        if topic == asked and settled and not found and None not in {shown.version for shown in held}:
            return f"nothing: {reader} must see one of {[sorted(v) for v in allowed]}"
    return None
