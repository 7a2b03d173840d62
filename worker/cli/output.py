"""What commands print: JSON or lines on standard output, problems and progress on standard error."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from ingest.errors import SettingsInvalid

if TYPE_CHECKING:
    from ingest.settings import Settings

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
SettingsFile = Annotated[
    Path | None,
    typer.Option("--settings", envvar="LOCKSTEP_SETTINGS", help="The settings file; else found from here upwards."),
]


def read_settings(file: Path | None) -> "Settings":
    """The settings a command uses. Raises SettingsInvalid."""
    from ingest.settings_file import find, load  # noqa: PLC0415 -- `--help` need not wait for it

    return load(file or find(Path.cwd()))


def answer(settings: Path | None, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Perform an operation wherever the installation is open."""
    from ingest import telemetry  # noqa: PLC0415
    from worker.client import call  # noqa: PLC0415 -- `--help` need not wait for the stores

    telemetry.configure(log_level())
    return call(read_settings(settings), operation, parameters)


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
    out.print(line, markup=False)


def problem(error: Exception, code: int) -> int:
    """One line on standard error."""
    err.print(f"lockstep: {' '.join(str(error).split())}", markup=False)
    return code
