"""A doorbell between threads of one process."""

import threading
from collections import defaultdict


class ThreadDoorbell:
    """Rings are remembered until somebody waits. Implements `Doorbell`."""

    def __init__(self) -> None:
        self._rung: defaultdict[str, threading.Event] = defaultdict(threading.Event)

    def ring(self, queue: str) -> None:
        """See `Doorbell.ring`."""
        self._rung[queue].set()

    def wait(self, queue: str, timeout_s: float) -> bool:
        """See `Doorbell.wait`."""
        rung = self._rung[queue].wait(timeout_s)
        if rung:
            self._rung[queue].clear()
        return rung
