"""Calls the `lockstep` command as a user would, and reads its `--json` answers."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PATIENCE_S = 120.0


class DemoFailed(Exception):
    """Something did not hold that the demonstration promises."""


@dataclass(frozen=True, slots=True)
class Commands:
    """Runs commands in one folder."""

    folder: Path

    def json(self, *arguments: str) -> Any:
        """The answer of one command. Raises DemoFailed with what it said when it fails."""
        done = subprocess.run(
            self._line(*arguments, "--json"), cwd=self.folder, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise DemoFailed(
                f"lockstep {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()[-500:]}"
            )
        return json.loads(done.stdout)

    @contextmanager
    def running(self) -> Iterator[None]:
        """`lockstep run`, watching, until the block ends; then it is asked to stop and has to end cleanly."""
        log = (self.folder / "run.log").open("w")
        process = subprocess.Popen(self._line("run"), cwd=self.folder, stdout=log, stderr=log)
        try:
            until(lambda: process.poll() is None and self._answers(), "lockstep run answers")
            yield
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            log.close()
        if process.returncode != 0:
            raise DemoFailed(
                f"lockstep run ended with {process.returncode}: {(self.folder / 'run.log').read_text()[-500:]}"
            )

    def _answers(self) -> bool:
        try:
            return bool(self.json("status")["running"])
        except DemoFailed:
            return False

    def _line(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "worker.cli.main", *arguments]


def until(holds: Callable[[], bool], what: str) -> float:
    """Ask until it holds; returns the seconds it took. Raises DemoFailed after two minutes."""
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > _PATIENCE_S:
            raise DemoFailed(f"did not happen in {_PATIENCE_S:.0f} s: {what}")
        time.sleep(0.05)
    return time.monotonic() - began


def environment() -> None:
    """Commands find this checkout whatever folder they run in."""
    here = str(Path(__file__).resolve().parents[2])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH", "")]))
