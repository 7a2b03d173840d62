"""The engine's errors in our own tree. It raises bare exceptions, and panics, that only their text tells apart."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ingest.errors import AlreadyRunning, ForeignIndex, GenerationGone, LockstepError, StoreFull, StoreUnavailable

STORE: Final = "the embedded vector index"
HELD: Final = ("WouldBlock",)
FULL: Final = ("No space left", "os error 28", "StorageFull")
OUT_OF_MEANS: Final = ("Too many open files", "Permission denied", "Cannot allocate memory", "Read-only file system")
"""What keeps a sound shard from opening."""


@contextmanager
def translated(path: Path, *, opening: bool = False) -> Iterator[None]:
    """Raise what the port promises in place of what the engine raises.

    While a shard is opened, what is neither held by somebody nor short of means is damaged or foreign: ForeignIndex.
    """
    try:
        yield
    except (LockstepError, ValueError, GeneratorExit):
        raise
    except BaseException as error:
        # A panic of the engine is a BaseException of a class that cannot be imported.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise _translate(str(error), path, opening=opening) from error


def _translate(said: str, path: Path, *, opening: bool) -> LockstepError:
    if any(mark in said for mark in HELD):
        return AlreadyRunning(f"{path} is open in another process: stop it, or ask it")
    if any(mark in said for mark in FULL):
        return full(path)
    if opening and not any(mark in said for mark in OUT_OF_MEANS):
        return foreign(path, said[:200])
    return StoreUnavailable(STORE, str(path), said[:200])


def full(path: Path) -> StoreFull:
    """The disk under the index is full."""
    return StoreFull(f"no space is left for {path}: free some, then the waiting documents go on by themselves")


def gone(path: Path) -> GenerationGone:
    """There is no index at this path."""
    return GenerationGone(f"there is no vector index at {path}")


def foreign(path: Path, reason: str) -> ForeignIndex:
    """The index is damaged, or not ours, or of another shape: it can only be dropped and built anew."""
    return ForeignIndex(f"{path} is no vector index that can be used ({reason}): drop it and build the index anew")
