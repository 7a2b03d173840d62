"""The directory of an index: shards side by side, and a file that names the one in use.

`current` holds a name such as `shard-7`. Beside the folder `shard-7` there may be others: a copy in preparation, or
one that a killed process left; nobody needs them.
"""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from ingest.adapters.qdrant_edge.errors import foreign, full
from ingest.failpoints import failpoint

CURRENT = "current"
PREPARED = "current.new"
_SHARD = re.compile(r"shard-(\d+)")


class Layout:
    """Names in one directory. Whatever moment a process dies at, `current` names a whole shard or is not there."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def current(self) -> int | None:
        """The number of the shard in use; None when no index was made here. Raises ForeignIndex."""
        try:
            named = (self.directory / CURRENT).read_text().strip()
        except FileNotFoundError:
            return None
        except (NotADirectoryError, UnicodeDecodeError) as error:
            raise foreign(self.directory, type(error).__name__) from error
        match = _SHARD.fullmatch(named)
        if match is None or not (self.directory / named).is_dir():
            raise foreign(self.directory, "the file `current` names no shard")
        return int(match[1])

    def path(self, number: int) -> Path:
        """Where a shard lives."""
        return self.directory / f"shard-{number}"

    def unused(self) -> int:
        """A number above all that are there."""
        return max((int(match[1]) for _, match in self._shards()), default=0) + 1

    def claim(self) -> None:
        """Make the directory. Raises ForeignIndex when something else lies in it."""
        if self.directory.exists() and not self.directory.is_dir():
            raise foreign(self.directory, "it is a file")
        self.directory.mkdir(parents=True, exist_ok=True)
        ours = {CURRENT, PREPARED, *(path.name for path, _ in self._shards())}
        strangers = {path.name for path in self.directory.iterdir() if not path.name.startswith(".")} - ours
        if strangers:
            raise foreign(self.directory, f"it holds {min(strangers)}")

    def point_to(self, number: int) -> None:
        """Make a shard the one in use: from the rename on, it is. `sync` makes that survive a power loss."""
        prepared = self.directory / PREPARED
        with prepared.open("w") as file:
            file.write(f"{self.path(number).name}\n")
            file.flush()
            os.fsync(file.fileno())
        failpoint("edge.pointer_prepared")
        prepared.replace(self.directory / CURRENT)

    def sync(self) -> None:
        """Make names in the directory survive a power loss."""
        sync_directory(self.directory)

    def need(self, space: int) -> None:
        """Raises StoreFull when less than `space` bytes are free."""
        if shutil.disk_usage(self.directory).free < space:
            raise full(self.directory)

    def sweep(self, keep: int | None) -> None:
        """Remove the shards that are not in use."""
        for path, match in self._shards():
            if int(match[1]) != keep:
                shutil.rmtree(path, ignore_errors=True)

    def remove(self) -> None:
        """Remove the index: first its name, so that nothing half removed is ever opened."""
        if not self.directory.is_dir():
            return
        for name in (CURRENT, PREPARED):
            (self.directory / name).unlink(missing_ok=True)
        self.sweep(keep=None)
        if not any(self.directory.iterdir()):
            self.directory.rmdir()

    def _shards(self) -> Iterator[tuple[Path, re.Match[str]]]:
        entries = list(self.directory.iterdir()) if self.directory.is_dir() else []
        yield from ((path, match) for path in entries if (match := _SHARD.fullmatch(path.name)))


def sync_directory(directory: Path) -> None:
    """Flush a directory's entries to the disk."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
