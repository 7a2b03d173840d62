"""The page of commands names every command and every option."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from worker.cli.main import app

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "cli.md").read_text(encoding="utf-8")
EXPLAINED_ONCE = {"--json", "--settings", "--help"}


def _commands() -> Iterator[tuple[str, set[str]]]:
    """Every command as it is typed, with its options."""
    top = typer.main.get_command(app)
    for name, command in getattr(top, "commands", {}).items():
        below = getattr(command, "commands", None)
        for called, one in (
            {f"{name} {word}": one for word, one in below.items()}.items() if below else [(name, command)]
        ):
            yield called, {option for parameter in one.params for option in parameter.opts if option.startswith("--")}


COMMANDS = dict(_commands())


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_explained_with_its_options(command: str) -> None:
    assert f"`lockstep {command}" in PAGE
    assert [option for option in COMMANDS[command] - EXPLAINED_ONCE if option not in PAGE] == []


def test_there_are_commands() -> None:
    assert {"init", "run", "search", "source list", "source unsync", "erase", "doctor"} <= COMMANDS.keys()
    assert all(option in PAGE for option in EXPLAINED_ONCE)
