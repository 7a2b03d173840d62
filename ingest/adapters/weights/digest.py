"""Digests of model files. Hashing 90 MB takes a noticeable moment, so a process does it once per file."""

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path


def file_digest(path: Path) -> str:
    """The sha256 of a file, in hexadecimal; remembered while its size and modification time stay."""
    resolved = path.resolve()
    stat = resolved.stat()
    return _digest(resolved, stat.st_size, stat.st_mtime_ns)


def folder_digest(folder: Path, patterns: Iterable[str]) -> str:
    """One sha256 over names and contents of the files that match any of the glob patterns."""
    files = sorted({path for pattern in patterns for path in folder.glob(pattern) if path.is_file()})
    lines = (f"{path.relative_to(folder).as_posix()}\x1f{file_digest(path)}" for path in files)
    return hashlib.sha256("\x1e".join(lines).encode()).hexdigest()


@lru_cache(maxsize=256)
def _digest(path: Path, size: int, mtime_ns: int) -> str:  # noqa: ARG001 (the key of the cache)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
