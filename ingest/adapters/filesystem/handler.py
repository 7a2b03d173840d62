"""From watchdog's events to places that changed. Runs in watchdog's thread: asks nothing of the disk."""

import os
from dataclasses import dataclass
from typing import Final

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileAttribEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)

from ingest.adapters.filesystem.changes import Changes, Place, Touch

WATCHED: Final[list[type[FileSystemEvent]]] = [
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileAttribEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
]
"""Not opening, nor closing after reading: our own looks would cause them."""
_MAY_GO_ON: Final = (FileCreatedEvent, FileModifiedEvent)


@dataclass(frozen=True, slots=True)
class Settling:
    """Seconds that a look should wait."""

    settle_s: float = 0.05
    """After the file was closed, renamed or deleted."""
    quiet_s: float = 0.5
    """After it was created or modified and not closed: more may come."""


class ChangeHandler(FileSystemEventHandler):
    """Puts the places that events name into a set. A move is two places: the source went, the destination changed."""

    def __init__(self, root: str, changes: Changes, settling: Settling) -> None:
        self._prefix = root.rstrip("/") + "/"
        self._changes = changes
        self._settling = settling

    def dispatch(self, event: FileSystemEvent) -> None:
        if event.is_directory:
            self._folder(event)
        else:
            self._file(event)

    def _folder(self, event: FileSystemEvent) -> None:
        appeared = event.dest_path if isinstance(event, DirMovedEvent) else event.src_path
        if not isinstance(event, DirCreatedEvent) and event.src_path and not event.is_synthetic:
            self._note("folder", event.src_path, Touch(self._settling.settle_s))
        if not isinstance(event, DirDeletedEvent) and appeared:
            self._note("folder", appeared, Touch(self._settling.settle_s, walk=True))

    def _file(self, event: FileSystemEvent) -> None:
        settle_s = self._settling.quiet_s if isinstance(event, _MAY_GO_ON) else self._settling.settle_s
        if isinstance(event, FileMovedEvent):
            # What moved along with its folder went with the folder's row; here it only changed where it is now.
            if event.src_path and not event.is_synthetic:
                self._note("document", event.src_path, Touch(settle_s))
            if event.dest_path:
                self._note("document", event.dest_path, Touch(settle_s))
        else:
            self._note("document", event.src_path, Touch(settle_s))

    def _note(self, kind: str, path: bytes | str, touch: Touch) -> None:
        written = os.fsdecode(path)
        if written.startswith(self._prefix):  # the root itself is watched over by `Observation`
            key = written[len(self._prefix) :]
            self._changes.add(Place("folder" if kind == "folder" else "document", key), touch)
