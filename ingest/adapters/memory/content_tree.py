"""A tree of folders and documents in memory that tests change."""

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from threading import RLock

from ingest.model.access import UNREADABLE, AccessRules
from ingest.model.source import DocumentSeen, FileIdentity

_NOWHERE = FileIdentity(0, 0, 0, 0)


@dataclass
class Folder:
    """A folder, its access file, and what is in it by name."""

    identity: FileIdentity
    rules: AccessRules | None = None
    file: FileIdentity | None = None  # of the access file
    inside: "dict[str, Folder | DocumentSeen]" = field(default_factory=dict)


class ContentTree:
    """Changes one at a time. A move keeps inodes, everything that is made anew gets a fresh one."""

    def __init__(self, *, now_ns: Callable[[], int] = time.time_ns, device: int = 1) -> None:
        self.lock = RLock()
        self._now_ns = now_ns
        self._device = device
        self._inodes = itertools.count(1)
        self._root = Folder(self._fresh(0))

    def write(self, key: str, text: str | DocumentSeen) -> None:
        """Create a document (folders on the way too) or change it in place. A whole value says everything but the
        identity, which is the tree's."""
        said = text if isinstance(text, DocumentSeen) else DocumentSeen(text, "markdown", _NOWHERE)
        with self.lock:
            folder, name = self._make(key)
            before = folder.inside.get(name)
            fresh = self._fresh(len(said.text.encode()))
            inode = before.identity.inode if isinstance(before, DocumentSeen) else fresh.inode
            folder.inside[name] = replace(said, identity=replace(fresh, inode=inode), title=said.title or name)

    def make_folder(self, key: str) -> None:
        """Create a folder and those above it; nothing happens where one is."""
        with self.lock:
            self._make(f"{key}/." if key else ".")

    def set_access(self, folder: str, rules: AccessRules | None) -> None:
        """Write a folder's access file, or remove it. `rules` with a problem are unreadable, whatever they say."""
        with self.lock:
            at = self._make(f"{folder}/." if folder else ".")[0]
            at.rules = replace(rules, policy=UNREADABLE) if rules and rules.problem else rules
            at.file = self._fresh(1) if rules else None

    def remove(self, key: str) -> None:
        """Remove a document, or a folder with everything in it. Raises KeyError when nothing is there."""
        with self.lock:
            del self._parent(key).inside[key.rpartition("/")[2]]

    def move(self, key: str, to: str) -> None:
        """Rename, over what is there. Raises KeyError when nothing is at `key`, or `to` is inside it."""
        if f"{to}/".startswith(f"{key}/"):
            raise KeyError(to)
        with self.lock:
            moved = self._parent(key).inside.pop(key.rpartition("/")[2])
            folder, name = self._make(to)
            folder.inside[name] = moved

    def find(self, key: str) -> Folder | DocumentSeen | None:
        """What is at a key."""
        at: Folder | DocumentSeen | None = self._root
        for name in key.split("/") if key else ():
            at = at.inside.get(name) if isinstance(at, Folder) else None
        return at

    def walk(self, key: str, unlistable: set[str]) -> Iterator[tuple[str, Folder | DocumentSeen]]:
        """What is at a key and below it; nothing from inside folders that are unlistable."""
        at = self.find(key)
        if at is None:
            return
        yield key, at
        for name in at.inside if isinstance(at, Folder) and key not in unlistable else ():
            yield from self.walk(f"{key}/{name}" if key else name, unlistable)

    def _fresh(self, size: int) -> FileIdentity:
        return FileIdentity(self._device, next(self._inodes), size, self._now_ns())

    def _parent(self, key: str) -> Folder:
        found = self.find(key.rpartition("/")[0])
        if not isinstance(found, Folder):
            raise KeyError(key)
        return found

    def _make(self, key: str) -> tuple[Folder, str]:
        *above, name = key.split("/")
        at = self._root
        for part in above:
            inner = at.inside.setdefault(part, Folder(self._fresh(0)))
            if not isinstance(inner, Folder):
                raise KeyError(f"{key}: {part} is a document")
            at = inner
        return at, name
