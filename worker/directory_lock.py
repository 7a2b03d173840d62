"""One opener for each embedded data folder: a file lock says that it is held, an address file where to ask."""

import fcntl
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from ingest.errors import AlreadyRunning

_LOCK = "lock"
_ADDRESS = "run.json"
_ASK_AGAIN_S = 0.02


@dataclass(frozen=True, slots=True)
class Address:
    """Where the process that holds a data folder answers, and the token it wants."""

    host: str
    port: int
    token: str
    pid: int


class DirectoryLock:
    """Holds a data folder while in use as a context. The kernel lets go when the process ends, however it ends.

    `wait_s`: how long to wait for a command that holds the folder for its own duration. A `lockstep run` that answers
    at an address is not waited for.
    """

    def __init__(self, data: Path, *, wait_s: float = 0.0) -> None:
        self._data = data
        self._wait_s = wait_s
        self._file: int | None = None

    def __enter__(self) -> Self:
        """Raises AlreadyRunning when another process, or another opener in this one, holds the folder."""
        # what is in there is everybody's text: for this user alone
        self._data.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(self._data / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        ends = time.monotonic() + self._wait_s
        while not _taken(file):
            address = address_of(self._data)
            if address is not None or time.monotonic() >= ends:
                os.close(file)
                raise AlreadyRunning(_told(self._data, address))
            time.sleep(_ASK_AGAIN_S)
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
        return Address(**json.loads((data / _ADDRESS).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _taken(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _told(data: Path, address: Address | None) -> str:
    if address is None:
        return (
            f"{data} is in use by another command, or by a `lockstep run` that is starting: try again when it is done"
        )
    return f"{data} is in use by `lockstep run`, process {address.pid}: stop that first"
