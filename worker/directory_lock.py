"""One opener for each embedded data folder: a file lock says that it is held, an address file where to ask."""

import fcntl
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from ingest.errors import AlreadyRunning

_LOCK = "lock"
_ADDRESS = "run.json"


@dataclass(frozen=True, slots=True)
class Address:
    """Where the process that holds a data folder answers, and the token it wants."""

    host: str
    port: int
    token: str
    pid: int


class DirectoryLock:
    """Holds a data folder while in use as a context. The kernel lets go when the process ends, however it ends."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._file: int | None = None

    def __enter__(self) -> Self:
        """Raises AlreadyRunning when another process, or another opener in this one, holds the folder."""
        self._data.mkdir(parents=True, exist_ok=True)
        file = os.open(self._data / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(file)
            raise AlreadyRunning(
                f"{self._data} is in use by another process: stop its `lockstep run` first, or wait for the other "
                f"command to end"
            ) from error
        self._file = file
        # what a killed process left behind names nobody
        (self._data / _ADDRESS).unlink(missing_ok=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        (self._data / _ADDRESS).unlink(missing_ok=True)
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def publish(self, address: Address) -> None:
        """Tell other commands where to ask: readable by this user alone, and never half written."""
        draft = self._data / f"{_ADDRESS}.new"
        draft.unlink(missing_ok=True)
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "w") as out:
            json.dump(asdict(address), out)
        draft.replace(self._data / _ADDRESS)


def address_of(data: Path) -> Address | None:
    """Where the process that holds the folder answers, if it has said so."""
    try:
        return Address(**json.loads((data / _ADDRESS).read_text()))
    except (OSError, ValueError, TypeError):
        return None
