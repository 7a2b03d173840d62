"""What the contract of a source needs: a source, and the hands that change what it shows."""

from collections.abc import Callable
from typing import Protocol

from ingest.model.principal import Principal
from ingest.model.source import DocumentSeen, FolderSeen
from ingest.ports import ContentSource

SUPPORT = Principal("local:group:support")


class SourceTree(Protocol):
    """A source, and the hands that change what it shows. Writing makes folders on the way."""

    @property
    def source(self) -> ContentSource: ...

    def write(self, key: str, text: str) -> None: ...

    def make_folder(self, key: str) -> None: ...

    def remove(self, key: str) -> None: ...

    def move(self, key: str, to: str) -> None: ...

    def allow(self, folder: str, *principals: Principal) -> None:
        """Write an access file that allows these and says nothing else."""
        ...

    def break_access(self, folder: str) -> None:
        """Write an access file that cannot be understood."""
        ...

    def remove_access(self, folder: str) -> None: ...

    def hide(self, folder: str) -> None:
        """Let the content of a folder be impossible to list until the end of the test."""
        ...

    def lose_root(self) -> None: ...

    def return_root(self) -> None:
        """Bring the root back as it was."""
        ...

    def while_reading(self, action: Callable[[], None]) -> None:
        """Run `action` once, in the middle of the next read of a document or access file."""
        ...


def read(tree: SourceTree, key: str) -> DocumentSeen:
    seen = tree.source.document(key)
    assert isinstance(seen, DocumentSeen), seen
    return seen


def look(tree: SourceTree, key: str) -> FolderSeen:
    seen = tree.source.folder(key)
    assert isinstance(seen, FolderSeen), seen
    return seen
