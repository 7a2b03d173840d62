"""A small library in an embedded installation with a stand-in model, and the operations on it in this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.bootstrap import bootstrap
from ingest.lockstep import Lockstep
from tests.integration.library import Library
from tests.integration.watched import model_of, new_library, settings_of
from worker.in_process import perform_opened
from worker.runner import run_once


@dataclass
class Opened:
    """Files, and the installation that indexes them."""

    base: Path
    library: Library
    lockstep: Lockstep

    def do(self, operation: str, **parameters: Any) -> dict[str, Any]:
        """One operation, as a command does it when nothing runs."""
        return perform_opened(self.lockstep, operation, parameters)

    def index(self) -> None:
        """Scan and drain, like `lockstep run --once`."""
        run_once(self.lockstep)

    def found(self, question: str, caller: str = "user:ann") -> list[str]:
        """The documents that a search gives, best first."""
        said = self.do("search", question=question, callers=[caller], limit=30)
        return [hit["document"] for hit in said["hits"]]

    @property
    def data(self) -> Path:
        return self.lockstep.settings.data


@contextmanager
def opened(base: Path, topics: int = 8, **changes: Any) -> Iterator[Opened]:
    """Indexed, in folders open, staff, spare and old."""
    library = new_library(base, topics)
    with bootstrap(settings_of(base, **changes), model=model_of(base)) as lockstep:
        installation = Opened(base, library, lockstep)
        installation.index()
        yield installation
