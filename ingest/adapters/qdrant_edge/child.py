"""A child process that can be ended from another thread."""

import os
import subprocess
import sys
from collections.abc import Sequence
from threading import Lock


class Child:
    """Runs one of our modules in a process of its own, one at a time."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._lock = Lock()
        self._process: subprocess.Popen[str] | None = None
        self.stopped = False

    def run(self, arguments: Sequence[str], told: str) -> tuple[int, str]:
        """Start it, write `told` to its standard input, and wait. Returns its exit code and its last word.

        After `stop` nothing is started, and the code is that of a killed process.
        """
        with self._lock:
            if self.stopped:
                return -9, "stopped"
            process = self._process = self._start(arguments)
        try:
            _, said = process.communicate(told)
        finally:
            with self._lock:
                self._process = None
            process.kill()  # nothing happens unless waiting for it failed
            process.wait()
        return process.returncode, (said.strip().splitlines() or [""])[-1][:200]

    def stop(self) -> None:
        """End it if it runs, and let no other start."""
        with self._lock:
            self.stopped = True
            if self._process is not None:
                self._process.kill()

    def _start(self, arguments: Sequence[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(  # noqa: S603 (this interpreter, and paths that we chose)
            [sys.executable, "-m", self._module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
