"""Processes that outlive their starter: started in the background, known again by id, start time and command line."""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deploy.dev.accounts import Account
from deploy.dev.errors import DevError

PATIENCE_S = 900.0  # for a command that downloads: Maven, apt-get, docker


@dataclass(frozen=True, slots=True)
class Process:
    """One process, apart from any later one that is given the same id."""

    pid: int
    started: int

    def alive(self, mark: str) -> bool:
        """Whether it still runs and has `mark` in its command line."""
        return _start_time(self.pid) == self.started and mark in _command_line(self.pid)


def spawn(command: Sequence[str], *, log: Path, folder: Path, account: Account | None) -> Process:
    """Start `command` in the background, in a session of its own, with its output in `log`."""
    with log.open("wb") as output:
        started = subprocess.Popen(  # noqa: S603 - commands are built in this package, never from input
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            start_new_session=True,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )
    return Process(started.pid, _start_time(started.pid))


def run(command: Sequence[str], *, account: Account | None = None, env: dict[str, str] | None = None) -> str:
    """Run `command` to its end and return what it printed. Raises DevError with the end of its output."""
    try:
        done = _finished(command, account, env or {})
    except subprocess.TimeoutExpired:
        raise DevError(f"`{' '.join(command)}` was not done after {PATIENCE_S:.0f} s") from None
    if done.returncode:
        raise DevError(f"`{' '.join(command)}` failed:\n{last_lines(done.stdout)}")
    return done.stdout


def _finished(command: Sequence[str], account: Account | None, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - as above
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        cwd="/",
        env=os.environ | env,
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=[] if account else None,
    )


def end(process: Process, mark: str, ask: signal.Signals, patience_s: float) -> None:
    """Ask a process to end, wait, and kill it when it has not after `patience_s` seconds."""
    for how, wait_s in ((ask, patience_s), (signal.SIGKILL, 5.0)):
        if not process.alive(mark):
            return
        os.kill(process.pid, how)
        deadline = time.monotonic() + wait_s
        while process.alive(mark) and time.monotonic() < deadline:
            time.sleep(0.05)


def last_lines(text: str, count: int = 15) -> str:
    """The end of an output, indented for an error message."""
    return "\n".join(f"  {line}" for line in text.splitlines()[-count:])


def _start_time(pid: int) -> int:
    """Start time of a process in ticks since boot; 0 when there is none or it only waits to be reaped."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    fields = stat[stat.rindex(")") + 2 :].split()
    return 0 if fields[0] in "ZX" else int(fields[19])


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""
