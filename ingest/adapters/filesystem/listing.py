"""Walking a tree: what belongs to the source, and what could not be seen."""

import os
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

from ingest.adapters.filesystem.names import ACCESS_FILE, is_text, join, shown
from ingest.adapters.filesystem.selection import Selection
from ingest.adapters.filesystem.tree import Tree, identity_of
from ingest.errors import SourceUnavailable
from ingest.model.source import FileIdentity, Listing


def list_tree(tree: Tree, selection: Selection, under: tuple[str, ...]) -> Listing:
    """Everything below a folder, the folder itself included; nothing at all when no such folder is there.

    A folder that could not be opened or not be listed to its end is in `unlisted`; what was seen of it counts.
    Links, special files and names that are not UTF-8 are left out; each that would have belonged is a problem.
    Raises SourceUnavailable when the root is missing or may not be opened.
    """
    return _Walk(tree, selection).below(under)


@dataclass
class _Walk:
    tree: Tree
    selection: Selection
    folders: dict[str, FileIdentity] = field(default_factory=dict)
    documents: dict[str, FileIdentity] = field(default_factory=dict)
    access_files: dict[str, FileIdentity] = field(default_factory=dict)
    unlisted: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)

    def below(self, under: tuple[str, ...]) -> Listing:
        status = self.tree.status(under)
        if status is not None and stat.S_ISDIR(status.st_mode) and self.selection.folder(under):
            self.folders["/".join(under)] = identity_of(status)
            self.waiting.append("/".join(under))
        while self.waiting:
            self._list(self.waiting.pop())
        return Listing(self.folders, self.documents, self.access_files, frozenset(self.unlisted), tuple(self.problems))

    def _list(self, folder: str) -> None:
        try:
            with _opened(self.tree, folder) as entries:
                if entries is None:
                    del self.folders[folder]  # gone since it was seen
                    return
                for entry in entries:
                    self._take(entry, join(folder, entry.name))
        except (OSError, SourceUnavailable) as error:
            self.tree.check_root()
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self.unlisted.add(folder)
            self.problems.append(f"the folder {shown(folder) or '(root)'} could not be listed: {reason}")

    def _take(self, entry: os.DirEntry[str], key: str) -> None:
        if not is_text(entry.name):
            self.problems.append(f"{shown(key)} is left out: its name is not UTF-8; rename it")
        elif entry.name == ACCESS_FILE:
            self._note(entry, self.access_files, key.rpartition("/")[0])
        elif entry.is_symlink():
            if self.selection.admits_document(key) or (_is_folder(entry) and self.selection.admits_folder(key)):
                self.problems.append(f"{shown(key)} is left out: a symbolic link, which is never followed")
        elif entry.is_dir(follow_symlinks=False):
            if self.selection.admits_folder(key) and self._note(entry, self.folders, key):
                self.waiting.append(key)
        elif self.selection.admits_document(key):
            if entry.is_file(follow_symlinks=False):
                self._note(entry, self.documents, key)
            else:
                self.problems.append(f"{shown(key)} is left out: not a regular file")

    def _note(self, entry: os.DirEntry[str], where: dict[str, FileIdentity], key: str) -> bool:
        try:
            where[key] = identity_of(entry.stat(follow_symlinks=False))
        except FileNotFoundError:
            return False  # gone since its name was read
        return True


@contextmanager
def _opened(tree: Tree, folder: str) -> Iterator[Iterator[os.DirEntry[str]] | None]:
    with tree.folder(tuple(folder.split("/")) if folder else ()) as at:
        if at is None:
            yield None
            return
        listed = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=at)
    try:
        with closing(os.scandir(listed)) as entries:
            yield entries
    finally:
        os.close(listed)


def _is_folder(link: os.DirEntry[str]) -> bool:
    try:
        return link.is_dir()
    except OSError:
        return False
