"""watchdog tells of lost events in its log and nowhere else."""

import logging
import warnings
from collections.abc import Callable
from typing import Final

_LOGGERS: Final = tuple(f"watchdog.observers.{module}" for module in ("inotify", "inotify_c", "polling", "fsevents"))
_ON_EVERY_STOP: Final = "called when the thread is inactive"


class LossListener(logging.Filter):
    """Calls `lost` on each warning of watchdog's observers; drops the one line that every clean stop causes."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__()
        self._lost = lost

    def filter(self, record: logging.LogRecord) -> bool:
        if _ON_EVERY_STOP in record.getMessage():
            return False
        if record.levelno >= logging.WARNING:
            self._lost()
        return True

    def attach(self) -> None:
        """Begin. Warnings reach the listener whatever level the application set."""
        for logger in map(logging.getLogger, _LOGGERS):
            if logger.getEffectiveLevel() > logging.WARNING:
                logger.setLevel(logging.WARNING)
            logger.addFilter(self)

    def detach(self) -> None:
        """End."""
        for logger in map(logging.getLogger, _LOGGERS):
            logger.removeFilter(self)


def quieten() -> None:
    """Ignore the RuntimeWarning that watchdog 7.1 raises, thousands of times, for folders created in a hurry."""
    warnings.filterwarnings("ignore", message="Callback with id", category=RuntimeWarning)
