"""What every packaged service can do, so that `packages.py` can start them side by side."""

from pathlib import Path
from signal import Signals
from typing import Protocol

from deploy.dev.processes import Process
from deploy.dev.requirements import Requirement
from deploy.dev.state import State


class Launch(Protocol):
    """One service about to run on one port, with its data folder in place."""

    url: str
    mark: str  # part of the command line that only this instance has
    log: Path

    def spawn(self) -> Process:
        """Start the process and return at once."""

    def answers(self) -> bool:
        """Whether the service serves requests now. Quick, and never raises for a service that is not up yet."""


class Service(Protocol):
    """A kind of service that runs as a process of an installed program."""

    name: str
    stop_signal: Signals  # asks for a quick, clean end

    def missing(self) -> list[Requirement]:
        """What has to be installed first; answers within a fraction of a second."""

    def prepare(self, state: State, port: int, *, fast: bool) -> Launch:
        """Make the data folder and whatever the first start needs; may take long, and says so."""
