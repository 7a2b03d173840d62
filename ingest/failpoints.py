"""Named points between steps at which a test may pause, fail or kill; a no-op in production.

`LOCKSTEP_FAILPOINT=name:kill` ends the process with SIGKILL at that point, `name:kill:3` at its third passing.
Tests inside the process set an action with `at`.
"""

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_actions: dict[str, Callable[[], None]] = {}
_passed: Counter[str] = Counter()
observer: Callable[[str], None] | None = None
"""Called with every point's name; the property harness counts and crashes here."""


def failpoint(name: str) -> None:
    """A place between two steps. Does nothing unless a test or the environment asks for it."""
    if observer is not None:
        observer(name)
    action = _actions.get(name)
    if action is not None:
        action()
    if _armed is not None and _armed[0] == name:
        _passed[name] += 1
        if _passed[name] == _armed[1]:
            os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def at(name: str, action: Callable[[], None]) -> Iterator[None]:
    """Run `action` whenever the point is passed, in whichever thread passes it."""
    _actions[name] = action
    try:
        yield
    finally:
        _actions.pop(name, None)


def _from_environment() -> tuple[str, int] | None:
    name, _, rest = os.environ.get("LOCKSTEP_FAILPOINT", "").partition(":")
    if not name or not rest.startswith("kill"):
        return None
    return name, int(rest.partition(":")[2] or "1")


_armed = _from_environment()
