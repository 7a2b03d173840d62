"""Redis from the system's packages: with a password, and never as root."""

import shutil
import socket
from pathlib import Path
from signal import Signals

from deploy.dev.accounts import Account, data_folder, unprivileged
from deploy.dev.ports import HOST
from deploy.dev.processes import Process, spawn
from deploy.dev.requirements import Requirement
from deploy.dev.secret import password
from deploy.dev.state import State

PROGRAM = "redis-server"


class Redis:
    """Starts a server that keeps what it is told in an append-only file."""

    name = "redis"
    stop_signal = Signals.SIGTERM

    def missing(self) -> list[Requirement]:
        """The server, unless it is installed."""
        return [] if shutil.which(PROGRAM) else [Requirement("Redis", "redis-server")]

    def prepare(self, state: State, port: int, *, fast: bool) -> "RedisLaunch":
        """Write the configuration; a command line, which all users can read, is no place for the password."""
        account = unprivileged("redis")
        data = data_folder(state, self.name, account)
        secret = password(state, self.name)
        settings = {
            "bind": HOST,
            "port": port,
            "requirepass": secret,
            "dir": data,
            "appendonly": "yes",
            "appendfsync": "no" if fast else "everysec",
            "save": '""',
        }
        configuration = data / "redis.conf"
        configuration.write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
        configuration.chmod(0o600)
        if account:
            shutil.chown(configuration, account.uid, account.gid)
        return RedisLaunch(port, secret, configuration, account, state.folder / "redis.log")


class RedisLaunch:
    """One start of the server."""

    def __init__(self, port: int, secret: str, configuration: Path, account: Account | None, log: Path) -> None:
        self.url = f"redis://:{secret}@{HOST}:{port}/0"
        self.mark = f"lockstep:{port}"
        self.log = log
        self._port, self._secret = port, secret
        self._configuration, self._account = configuration, account

    def spawn(self) -> Process:
        """Start the server."""
        program = shutil.which(PROGRAM) or PROGRAM
        # Redis replaces its command line by this title, so the mark is in both.
        command = [program, str(self._configuration), "--proc-title-template", f"{{title}} {self.mark}"]
        return spawn(command, log=self.log, folder=self._configuration.parent, account=self._account)

    def answers(self) -> bool:
        """Whether the server takes the password and says PONG."""
        try:
            with socket.create_connection((HOST, self._port), timeout=1) as connection:
                connection.sendall(f"AUTH {self._secret}\r\nPING\r\n".encode())
                with connection.makefile("rb") as replies:
                    return (replies.readline(), replies.readline()) == (b"+OK\r\n", b"+PONG\r\n")
        except OSError:
            return False
