"""The state folder: what was started, where it listens, and who may touch that knowledge at one time."""

import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
DEFAULT_FOLDER = TOP / ".cache" / "dev"


@dataclass(frozen=True, slots=True)
class Running:
    """A service that was started, and how to know again that it is the same one."""

    name: str
    url: str
    engine: str  # "packages" or "docker"
    kept: bool  # somebody asked for it to stay; otherwise it ends with its last borrower
    pid: int = 0  # of a process; the three are unused for a container
    started: int = 0  # the process's start time in the kernel's ticks since boot
    mark: str = ""  # part of its command line

    @property
    def variable(self) -> str:
        """Name of the environment variable that tells tests where the service is."""
        return f"LOCKSTEP_TEST_{self.name.upper()}_URL"


class State:
    """Reads and writes one state folder. Whoever changes it holds `locked()`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        # The checkout stays as it is, while data and passwords are for this user alone
        # (0711: a service's own user has to reach its data below).
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o711)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for one start or stop; a second one waits."""
        with self._file_lock("lock", fcntl.LOCK_EX):
            yield

    @contextmanager
    def borrowed(self) -> Iterator[None]:
        """Be one of those who use the services, as `unused` counts them."""
        with self._file_lock("users", fcntl.LOCK_SH):
            yield

    @contextmanager
    def unused(self) -> Iterator[bool]:
        """Whether nobody borrows the services; while the block runs, nobody can begin to."""
        try:
            with self._file_lock("users", fcntl.LOCK_EX | fcntl.LOCK_NB):
                yield True
        except BlockingIOError:
            yield False

    @contextmanager
    def _file_lock(self, name: str, how: int) -> Iterator[None]:
        with (self.folder / name).open("a") as file:
            fcntl.flock(file, how)
            yield

    def services(self) -> dict[str, Running]:
        """What was started and not yet stopped; some of it may have died since."""
        try:
            stored = json.loads((self.folder / "services.json").read_text())
        except FileNotFoundError:
            return {}
        return {entry["name"]: Running(**entry) for entry in stored}

    def remember(self, service: Running) -> None:
        """Add or replace one service."""
        self._store([*(s for s in self.services().values() if s.name != service.name), service])

    def keep(self, names: Sequence[str]) -> None:
        """Let these services outlive their borrowers."""
        self._store([replace(s, kept=s.kept or s.name in names) for s in self.services().values()])

    def forget(self, name: str) -> None:
        """Drop one service that has ended."""
        self._store([s for s in self.services().values() if s.name != name])

    def _store(self, services: Sequence[Running]) -> None:
        ordered = sorted(services, key=lambda service: service.name)
        self.write("services.json", json.dumps([asdict(service) for service in ordered], indent=2) + "\n")
        self.write("env", "".join(f"{service.variable}={service.url}\n" for service in ordered))

    def write(self, name: str, text: str) -> None:
        """Write a file of the state folder whole or not at all, readable by this user only (URLs carry passwords)."""
        unfinished = self.folder / f"{name}.new"
        unfinished.unlink(missing_ok=True)
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
        unfinished.replace(self.folder / name)
