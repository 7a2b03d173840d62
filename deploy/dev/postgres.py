"""PostgreSQL 15 or newer from the system's packages, as a user of its own when we are root."""

import os
import shutil
import subprocess
from pathlib import Path
from signal import Signals

from deploy.dev.accounts import Account, data_folder, unprivileged
from deploy.dev.errors import DevError
from deploy.dev.ports import HOST
from deploy.dev.processes import Process, run, spawn
from deploy.dev.requirements import Requirement
from deploy.dev.secret import password
from deploy.dev.state import State

OLDEST = 15
USER = "lockstep"
SETTINGS = ("unix_socket_directories=", "max_connections=200")
# For tests alone: a crash of the machine may lose the database, and commits get several times as fast.
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


class Postgres:
    """Makes and starts a server of one database cluster."""

    name = "postgres"
    stop_signal = Signals.SIGINT  # "fast shutdown": ends sessions, writes a checkpoint

    def missing(self) -> list[Requirement]:
        """The server, unless one that is new enough is installed."""
        return [] if _programs() else [Requirement(f"PostgreSQL {OLDEST} or newer", "postgresql")]

    def prepare(self, state: State, port: int, *, fast: bool) -> "PostgresLaunch":
        """Make the cluster on first use; its superuser has a password, and TCP is the only way in."""
        programs = _programs()
        if programs is None:  # the package that was just installed is older
            raise DevError(f"this system's package of PostgreSQL is older than {OLDEST}: install a newer one")
        account = unprivileged("postgres")
        data = data_folder(state, self.name, account)
        secret = password(state, self.name)
        if not (data / "PG_VERSION").exists():
            _init_cluster(programs, data, secret, account)
        settings = (f"port={port}", f"listen_addresses={HOST}", *SETTINGS, *(FAST if fast else ()))
        command = [str(programs / "postgres"), "-D", str(data), *(part for s in settings for part in ("-c", s))]
        url = f"postgresql+psycopg://{USER}:{secret}@{HOST}:{port}/postgres"
        return PostgresLaunch(url, command, account, data, state.folder / "postgres.log")


class PostgresLaunch:
    """One start of the server."""

    def __init__(self, url: str, command: list[str], account: Account | None, data: Path, log: Path) -> None:
        self.url = url
        self.mark = f"-D {data} "
        self.log = log
        self._command, self._account, self._data = command, account, data

    def spawn(self) -> Process:
        """Start the server."""
        return spawn(self._command, log=self.log, folder=self._data, account=self._account)

    def answers(self) -> bool:
        """Whether the server says it is ready, in the file by which pg_ctl knows it too.

        The file of a server that crashed is told by its port.
        """
        try:
            lines = (self._data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) > 7 and lines[7].strip() == "ready" and f"port={lines[3].strip()}" in self._command


def _init_cluster(programs: Path, data: Path, secret: str, account: Account | None) -> None:
    handed_over = data / "password"
    handed_over.write_text(secret)
    if account:
        os.chown(handed_over, account.uid, account.gid)
    cluster = data / "new"  # initdb takes an empty folder only, and an interrupted one must not count as made
    shutil.rmtree(cluster, ignore_errors=True)
    options = f"--username={USER} --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --no-sync --no-instructions"
    run(
        [str(programs / "initdb"), f"--pgdata={cluster}", f"--pwfile={handed_over}", *options.split()],
        account=account,
    )
    handed_over.unlink()
    for entry in sorted(
        cluster.iterdir(), key=lambda entry: entry.name == "PG_VERSION"
    ):  # the mark of a whole one last
        entry.rename(data / entry.name)
    cluster.rmdir()


def _programs() -> Path | None:
    """The folder of the newest installed server, if it is new enough."""
    found = [Path(postgres).resolve().parent for postgres in [shutil.which("postgres")] if postgres]
    found += Path("/usr/lib/postgresql").glob("*/bin")
    usable = {folder: _version(folder) for folder in found if (folder / "initdb").exists()}
    newest = max(usable, key=lambda folder: usable[folder], default=None)
    return newest if newest and usable[newest] >= OLDEST else None


def _version(programs: Path) -> int:
    told = subprocess.run([programs / "postgres", "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    digits = told.stdout.partition(")")[2].strip().partition(".")[0]
    return int(digits) if digits.isdigit() else 0
