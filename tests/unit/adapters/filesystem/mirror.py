"""A catalog's least: what hints alone, each followed by a look, make known of a tree."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ingest.adapters.filesystem.source import FileSource
from ingest.adapters.filesystem.watcher import FileWatcher
from ingest.errors import SourceUnavailable, SourceUnsettled
from ingest.model.event import DocumentDeleted, DocumentHint, Event, FolderHint
from ingest.model.source import DocumentSeen

LIMIT_S = 10.0


class Mirror:
    """Looks at once at whatever is hinted at. `accept` is the watcher's; everything else is the test's."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.source = FileSource(root)
        self.texts: dict[str, str] = {}
        self.hints: list[DocumentHint | FolderHint] = []
        self._inodes: dict[str, int | None] = {}
        self._changed = threading.Condition()
        self._marks = 0
        self.scan()

    def scan(self) -> None:
        """Begin from what is there."""
        self.texts = self.truth()

    def accept(self, events: Sequence[Event]) -> None:
        with self._changed:
            for event in events:
                assert not isinstance(event, DocumentDeleted)  # a watcher has no right to say so
                self.hints.append(event)
                if isinstance(event, FolderHint):
                    self._look_at_folder(event.key)
                else:
                    self._look(event.key)
            self._changed.notify_all()

    def wait_for(self, condition: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(condition, LIMIT_S), (self.texts, self.hints[-20:])

    def hinted(self, key: str, *, after: int = 0, settle_s: float | None = None) -> bool:
        """Whether a hint at this key came, after so many hints."""
        return any(hint.key == key and settle_s in {None, hint.settle_s} for hint in self.hints[after:])

    def converged(self) -> None:
        """Wait until everything done so far has been told (events come in order), then compare with the tree."""
        self._marks += 1
        mark = f"mark-{self._marks}.txt"
        (self.root / mark).write_text("here")
        self.wait_for(lambda: self.texts.get(mark) == "here")
        self.wait_for(lambda: self.texts == self.truth())
        (self.root / mark).unlink()
        self.wait_for(lambda: mark not in self.texts)
        assert self.texts == self.truth()

    def truth(self) -> dict[str, str]:
        """The tree as Python's own walk sees it."""
        paths = (path for pattern in ("*.md", "*.txt") for path in self.root.rglob(pattern) if path.is_file())
        keys = {str(path.relative_to(self.root)): path for path in paths}
        return {key: path.read_text() for key, path in keys.items() if not any(p[0] == "." for p in key.split("/"))}

    def _look(self, key: str) -> None:
        try:
            seen = self.source.document(key)
        except (SourceUnsettled, SourceUnavailable):
            return  # a hint of what changed it is under way; without a root a look finds nothing out
        if isinstance(seen, DocumentSeen):
            self.texts[key] = seen.text
        else:
            self.texts.pop(key, None)

    def _look_at_folder(self, key: str) -> None:
        """A folder that went, or is another one under its old name, may have taken what was known below along."""
        try:
            now = self.source.identity(key)
        except SourceUnavailable:
            return
        before, self._inodes[key] = self._inodes.get(key), now.inode if now else None
        if now is None or before != now.inode:
            for below in [known for known in self.texts if known.startswith(f"{key}/")]:
                self._look(below)


@contextmanager
def watching(root: Path, *, poll_s: float | None = None) -> Iterator[tuple[Mirror, FileWatcher]]:
    """A watched tree."""
    mirror = Mirror(root)
    watcher = FileWatcher(mirror.source, poll_s=poll_s, check_s=0.05)
    watcher.start(mirror.accept)
    try:
        yield mirror, watcher
    finally:
        watcher.stop()
