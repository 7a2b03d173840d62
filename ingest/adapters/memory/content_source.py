"""A source in memory: a tree of folders and documents that a test changes while looks are under way."""

import time
from collections.abc import Callable

from ingest.adapters.memory.content_tree import ContentTree, Folder
from ingest.adapters.memory.faults import Faults
from ingest.errors import SourceUnavailable, SourceUnsettled
from ingest.model.access import AccessRules
from ingest.model.source import DocumentSeen, FileIdentity, FolderSeen, Gone, Listing


class MemoryContentSource(ContentTree):
    """Implements `ContentSource` for a tree in memory.

    As inconveniently as a file system it reads what it opened: a document whose folder moves during a read is still
    read under its old key, one that is changed or replaced is unsettled. Failures come from `faults` (calls
    `document`, `folder`, `identity`, `listing`); `on_read` is called with the key in the middle of every read of a
    document or folder, without a lock held, and may change the tree.
    """

    def __init__(self, *, now_ns: Callable[[], int] = time.time_ns, device: int = 1) -> None:
        super().__init__(now_ns=now_ns, device=device)
        self.faults = Faults()
        self.on_read: Callable[[str], None] = lambda _: None
        self.missing = False
        """While true the root is not there: every call raises SourceUnavailable."""
        self.unlistable: set[str] = set()
        """Folders whose content `listing` cannot see."""

    def document(self, key: str) -> DocumentSeen | Gone:
        """See `ContentSource.document`."""
        self._begin("document")
        with self.lock:
            folder, before = self.find(key.rpartition("/")[0]), self.find(key)
        self.on_read(key)
        if not isinstance(folder, Folder) or not isinstance(before, DocumentSeen):
            return Gone()
        if folder.inside.get(key.rpartition("/")[2]) != before:
            raise SourceUnsettled(f"{key} changed while it was read")
        return before

    def folder(self, key: str) -> FolderSeen | Gone:
        """See `ContentSource.folder`."""
        self._begin("folder")
        with self.lock:
            at = self.find(key)
            seen = FolderSeen(at.identity, at.rules or AccessRules(), at.file) if isinstance(at, Folder) else None
        self.on_read(key)
        if not isinstance(at, Folder) or seen is None:
            return Gone()
        if at.file != seen.access_file:
            raise SourceUnsettled(f"the access file of {key!r} changed while it was read")
        return seen

    def identity(self, key: str) -> FileIdentity | None:
        """See `ContentSource.identity`."""
        self._begin("identity")
        with self.lock:
            return found.identity if (found := self.find(key)) else None

    def listing(self, under: str = "") -> Listing:
        """See `ContentSource.listing`."""
        self._begin("listing")
        with self.lock:
            walked = dict(self.walk(under, self.unlistable)) if isinstance(self.find(under), Folder) else {}
        folders = {key: at for key, at in walked.items() if isinstance(at, Folder)}
        documents = {key: at.identity for key, at in walked.items() if isinstance(at, DocumentSeen)}
        files = {key: at.file for key, at in folders.items() if at.file and key not in self.unlistable}
        unlisted = frozenset(self.unlistable & folders.keys())
        return Listing({key: at.identity for key, at in folders.items()}, documents, files, unlisted)

    def _begin(self, call: str) -> None:
        if fault := self.faults.take(call):
            raise fault.error
        if self.missing:
            raise SourceUnavailable("the root of a source in memory is not there")
