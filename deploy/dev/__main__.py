"""The command line: python -m deploy.dev install|start|stop|status|env|run."""

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from deploy.dev.console import answer, progress
from deploy.dev.errors import DevError
from deploy.dev.services import borrowed, install_programs, start, status, stop
from deploy.dev.state import DEFAULT_FOLDER, State

EXIT_NOT_RUNNING = 3


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m deploy.dev", description="Real services for development and tests."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    described = {
        "install": "install the programs that services need, or say the line that does",
        "start": "start services that do not run yet, and print where they are",
        "stop": "end what was started",
        "status": "tell what runs; exit code 3 when nothing does",
        "env": "print where the running services are, as NAME=VALUE lines (also in the file env of the state folder)",
        "run": "run a command with all services, and end afterwards what was started for it",
    }
    made = {name: commands.add_parser(name, help=text, description=text) for name, text in described.items()}
    for command in made.values():
        command.add_argument("--state", type=Path, default=DEFAULT_FOLDER, help="state folder (default: .cache/dev)")
    made["start"].add_argument("services", nargs="*", help="default: all that this machine can have")
    made["start"].add_argument(
        "--fast", action="store_true", help="without fsync: for tests, not for data you care for"
    )
    made["start"].add_argument("--lent", action="store_true", help="let them end with their last borrower (see run)")
    made["stop"].add_argument("--delete-data", action="store_true", help="and remove their data")
    made["run"].add_argument("argv", nargs=argparse.REMAINDER, metavar="-- command", help="what to run")
    return parser


def _run(state: State, command: Sequence[str]) -> int:
    """Run a command with the services' URLs in its environment, and give its exit code."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # so that the services are still ended
    with borrowed(state) as urls:
        return subprocess.run(command, env=os.environ | urls, check=False).returncode  # noqa: S603 - the caller's own


def _print_urls(state: State) -> None:
    for service in status(state).values():
        answer(f"{service.variable}={service.url}")


def _print_status(state: State) -> int:
    running = status(state)
    for service in running.values():
        where = f"process {service.pid}" if service.pid else "container"
        until = "until stopped" if service.kept else "until its last borrower is done"
        answer(f"{service.name:<12}{where}, {until}: {service.url}")
    if not running:
        answer("nothing runs")
    return 0 if running else EXIT_NOT_RUNNING


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command and return its exit code."""
    options = _parser().parse_args(arguments)
    state = State(options.state)
    try:
        match options.command:
            case "install":
                install_programs()
            case "start":
                start(state, options.services, fast=options.fast, kept=not options.lent)
                _print_urls(state)
            case "stop":
                for service in stop(state, delete_data=options.delete_data):
                    progress(f"{service.name}: stopped")
            case "status":
                return _print_status(state)
            case "env":
                _print_urls(state)
            case _:
                return _run(state, options.argv[1:] if options.argv[:1] == ["--"] else options.argv)
    except DevError as error:
        progress(f"error: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
