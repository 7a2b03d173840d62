"""A directory tree below one root, entered folder by folder so that no link and no key leads out of it."""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ingest.adapters.filesystem.names import shown
from ingest.errors import SourceUnavailable
from ingest.model.source import FileIdentity

ABSENT: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG})
_PASS_THROUGH: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC


def identity_of(status: os.stat_result) -> FileIdentity:
    """What Lockstep remembers of a status."""
    return FileIdentity(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def unavailable(key: str, error: OSError) -> SourceUnavailable:
    """What to raise when the system refuses for a reason that says nothing about the document."""
    reason = error.strerror or type(error).__name__
    return SourceUnavailable(f"{shown(key) or 'the root'}: {reason}; may this user read it, and is the disk well?")


class Tree:
    """Opens what is below a root. The root may be a link; below it links are never followed, whatever they point to.

    Each folder is opened relative to the one above it. So a folder that is replaced by a link while it is entered
    leads nowhere, and a folder renamed meanwhile is still itself.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextmanager
    def folder(self, parts: Sequence[str]) -> Iterator[int | None]:
        """A descriptor of a folder, to be used within the context; None when no such folder is there.

        Raises SourceUnavailable when the root is missing or a folder on the way may not be entered.
        """
        at: int | None = self._open_root()
        try:
            for depth, part in enumerate(parts, start=1):
                inner = _enter(at, part, "/".join(parts[:depth]))
                if at is not None:
                    os.close(at)
                at = inner
                if at is None:
                    self.check_root()
                    break
            yield at
        finally:
            if at is not None:
                os.close(at)

    def status(self, parts: Sequence[str]) -> os.stat_result | None:
        """What is at a place, links not followed; None when nothing is. Raises SourceUnavailable as `folder`."""
        with self.folder(parts[:-1]) as parent:
            if parent is None:
                return None
            if not parts:
                return os.fstat(parent)
            found = entry_status(parent, parts[-1], "/".join(parts))
        if found is None:
            self.check_root()
        return found

    def check_root(self) -> os.stat_result:
        """The root's status. Raises SourceUnavailable when it is missing: then nothing below it is known to be gone."""
        try:
            status = self.root.stat()
        except OSError as error:
            raise self._missing(error) from error
        if not stat.S_ISDIR(status.st_mode):
            raise self._missing(NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)))
        return status

    def _open_root(self) -> int:
        try:
            return os.open(self.root, _PASS_THROUGH)
        except OSError as error:
            raise self._missing(error) from error

    def _missing(self, error: OSError) -> SourceUnavailable:
        return SourceUnavailable(f"the root {self.root} cannot be opened ({error.strerror}): is it there and mounted?")


def entry_status(folder: int, name: str, key: str) -> os.stat_result | None:
    """The status of a name in an open folder, links not followed; None when nothing has the name."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno in ABSENT:
            return None
        raise unavailable(key, error) from error


def _enter(at: int | None, name: str, key: str) -> int | None:
    try:
        return os.open(name, _PASS_THROUGH | os.O_NOFOLLOW, dir_fd=at)
    except OSError as error:
        if error.errno in ABSENT:
            return None
        raise unavailable(key, error) from error
