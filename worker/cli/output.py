"""What commands print: JSON or lines on standard output, problems and progress on standard error."""

import json
import os
import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ingest.errors import SettingsInvalid

if TYPE_CHECKING:
    from rich.console import Console

    from ingest.settings import Settings

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
SettingsFile = Annotated[
    Path | None,
    typer.Option("--settings", envvar="LOCKSTEP_SETTINGS", help="The settings file; else found from here upwards."),
]


@cache
def console(*, stderr: bool = False) -> "Console":
    """Where people read: made when the first line is said, since `--help` need not wait for it."""
    from rich.console import Console  # noqa: PLC0415

    return Console(stderr=stderr, highlight=False, soft_wrap=True)


def read_settings(file: Path | None) -> "Settings":
    """The settings a command uses. Raises SettingsInvalid."""
    from ingest.settings_file import find, load  # noqa: PLC0415 -- `--help` need not wait for it

    return load(file or find(Path.cwd()))


def answer(settings: Path | None, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Perform an operation wherever the installation is open."""
    from ingest import telemetry  # noqa: PLC0415
    from worker.cli.naming import with_keys  # noqa: PLC0415
    from worker.client import call  # noqa: PLC0415 -- `--help` need not wait for the stores

    telemetry.configure(log_level())
    loaded = read_settings(settings)
    err = console(stderr=True)
    with err.status(operation) if err.is_terminal else nullcontext():
        return call(loaded, operation, with_keys(loaded, parameters))


def log_level() -> str:
    """What is logged to standard error: WARNING unless the environment says INFO or DEBUG. Raises SettingsInvalid."""
    level = os.environ.get("LOCKSTEP_LOG", "WARNING").upper()
    if level not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
        raise SettingsInvalid(f"LOCKSTEP_LOG={level}: say DEBUG, INFO, WARNING or ERROR")
    return level


def show(said: dict[str, Any], *, as_json: bool, lines: Callable[[dict[str, Any]], None]) -> None:
    """Print an answer as JSON, or as `lines` prints it."""
    if as_json:
        sys.stdout.write(json.dumps(said, ensure_ascii=False) + "\n")
    else:
        lines(said)


def say(line: str) -> None:
    """One line of output; markup in it is text."""
    console().print(line, markup=False)


def warn(line: str) -> None:
    """One line on standard error."""
    console(stderr=True).print(" ".join(line.split()), markup=False)


def problem(error: Exception, code: int) -> int:
    """An error as one line on standard error; returns the exit code."""
    warn(f"lockstep: {error}")
    return code
