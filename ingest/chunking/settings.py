"""The numbers that shape chunks."""

import hashlib
from dataclasses import dataclass

RULES = "structure-1"
"""The rules of this package. Changes with every change that cuts the same text differently."""


@dataclass(frozen=True, slots=True)
class ChunkerSettings:
    """Name and numbers of a chunker, for a generation to remember what made its chunks."""

    name: str = "structure"
    path_percent: int = 25
    """The most that the heading path takes of an embedding input."""
    least_percent: int = 16
    """The least that a forced cut leaves in a chunk, of what the model takes."""

    def __post_init__(self) -> None:
        if not (0 < self.path_percent <= 50 and 0 < self.least_percent <= 50):
            raise ValueError("path_percent and least_percent must be between 1 and 50")

    @property
    def version(self) -> str:
        """Rules and numbers, readable: equal where the same text is cut the same for the same model."""
        return f"{self.name}/{RULES} path={self.path_percent}% least={self.least_percent}%"

    @property
    def digest(self) -> str:
        """A short hash of `version`."""
        return hashlib.sha256(self.version.encode()).hexdigest()[:16]


DEFAULTS = ChunkerSettings()
