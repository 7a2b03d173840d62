"""Start, stop, status: on whichever engine this machine has."""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from deploy.dev.console import progress
from deploy.dev.docker import Docker, engine_answers
from deploy.dev.errors import DevError
from deploy.dev.packages import Packages, install
from deploy.dev.state import TOP, Running, State


class Engine(Protocol):
    """A way to run services."""

    name: str
    offers: tuple[str, ...]

    def start(self, names: Sequence[str], *, fast: bool, kept: bool) -> None:
        """Start services that do not run; return when they answer. Raises DevError."""

    def alive(self, service: Running) -> bool:
        """Whether what was started still runs."""

    def stop(self, services: Sequence[Running]) -> None:
        """End services that this engine started."""


def start(state: State, names: Sequence[str] = (), *, fast: bool = False, kept: bool = True) -> None:
    """Bring services up, all that there are unless named. What runs already stays as it is.

    `fast` gives up what protects data from a crash of the machine. Without `kept`, a service ends with its borrowers.
    """
    with state.locked():
        running = _living(state)
        engine = _engine(state, running)
        wanted = names or engine.offers
        unknown = sorted(set(wanted) - set(engine.offers))
        if unknown:
            raise DevError(
                f"{', '.join(unknown)}: not to be had from {engine.name}; there are {', '.join(engine.offers)}"
            )
        absent = [name for name in wanted if name not in running]
        if absent:
            engine.start(absent, fast=fast, kept=kept)
        if kept:
            state.keep(wanted)


def stop(state: State, *, kept: bool = True, delete_data: bool = False) -> list[Running]:
    """End what was started here and tell what that was; without `kept`, only what nobody asked to stay."""
    with state.locked():
        running = _living(state)
        engine = _engine(state, running)
        ending = [service for service in running.values() if kept or not service.kept]
        if ending:
            engine.stop(ending)
        if delete_data:
            _delete_data(state)
            shutil.rmtree(state.folder, ignore_errors=True)
        return ending


def install_programs() -> None:
    """Install what the services need, unless Docker brings it all. Raises Missing with the line that installs it."""
    if not engine_answers():
        install()


def status(state: State) -> dict[str, Running]:
    """The services that run now."""
    with state.locked():
        return _living(state)


@contextmanager
def borrowed(state: State, names: Sequence[str] = ()) -> Iterator[dict[str, str]]:
    """Have services for a while: their URLs, by environment variable.

    What had to be started for it is fast, and ends when the last of its borrowers is done.
    """
    try:
        with state.borrowed():
            _start_in_a_process_of_its_own(state, names)
            yield {service.variable: service.url for service in state.services().values()}
    finally:
        with state.unused() as unused:
            if unused:
                stop(state, kept=False)


def _start_in_a_process_of_its_own(state: State, names: Sequence[str]) -> None:
    """Start what a borrower lacks. Servers are then no children of it: it may be a test run that counts those."""
    command = [sys.executable, "-m", "deploy.dev", "start", "--fast", "--lent", "--state", str(state.folder), *names]
    with subprocess.Popen(  # noqa: S603
        command, cwd=TOP, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as starting:
        told = []
        for line in starting.stderr or ():
            told.append(line)
            progress(line.rstrip())
    if starting.returncode:
        raise DevError("".join(told).strip())


def _living(state: State) -> dict[str, Running]:
    """Services that still run; the others are forgotten."""
    engines: dict[str, Engine] = {"packages": Packages(state), "docker": Docker(state)}
    for service in list(state.services().values()):
        if not engines[service.engine].alive(service):
            state.forget(service.name)
    return state.services()


def _delete_data(state: State) -> None:
    Packages(state).delete_data()
    if engine_answers():
        Docker(state).delete_data()


def _engine(state: State, running: dict[str, Running]) -> Engine:
    """The engine of what runs, so that one folder never mixes two; else Docker where it answers."""
    in_use = {service.engine for service in running.values()}
    if "docker" in in_use or (not in_use and engine_answers()):
        return Docker(state)
    return Packages(state)
