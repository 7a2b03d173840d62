"""Where something happened since the pump looked last: one entry a place, however often it changed."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

Kind = Literal["document", "folder"]


class Place(NamedTuple):
    """A key, and what an event said was there. Under one key there may have been both, one after the other."""

    kind: Kind
    key: str


@dataclass(frozen=True, slots=True)
class Touch:
    """What is known of the last change at a place."""

    settle_s: float
    """How long a look should wait from now."""
    walk: bool = False
    """Whether a folder appeared there whose content nobody may have told of."""


class Changes:
    """A set that watchdog's threads fill at once and the pump empties. Grows with the tree, not with the events."""

    def __init__(self) -> None:
        self._touches: dict[Place, Touch] = {}
        self._changed = threading.Condition()
        self._ended = False

    def add(self, place: Place, touch: Touch) -> None:
        """Note a change. The newest says how long to settle; that there is something to walk is never forgotten."""
        with self._changed:
            before = self._touches.pop(place, touch)
            self._touches[place] = Touch(touch.settle_s, touch.walk or before.walk)
            self._changed.notify_all()

    def put_back(self, touches: Mapping[Place, Touch]) -> None:
        """Return what could not be delivered; newer changes at the same places count."""
        with self._changed:
            newer, self._touches = self._touches, dict(touches)
            for place, touch in newer.items():
                before = self._touches.pop(place, touch)
                self._touches[place] = Touch(touch.settle_s, touch.walk or before.walk)

    def wait(self, timeout_s: float) -> bool:
        """Whether something changed; waits until it does, the end comes or the time is over."""
        with self._changed:
            return self._changed.wait_for(lambda: bool(self._touches) or self._ended, timeout_s) and not self._ended

    def take(self) -> dict[Place, Touch]:
        """Everything noted, oldest first, and forget it."""
        with self._changed:
            taken, self._touches = self._touches, {}
            return taken

    def end(self) -> None:
        """Let `wait` return."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
