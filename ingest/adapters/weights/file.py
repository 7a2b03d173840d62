"""A single file of a model."""

from dataclasses import dataclass
from pathlib import Path

from ingest.adapters.weights import hub
from ingest.adapters.weights.digest import file_digest
from ingest.adapters.weights.origin import OnHub, Origin
from ingest.errors import ModelMissing


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file and, where it is pinned, what it must contain."""

    origin: Origin
    path: str
    """Below the origin's folder, with `/`."""
    sha256: str = ""
    """In hexadecimal; empty = any content."""

    def locate(self) -> Path:
        """Where the file lies on disk.

        Raises ModelMissing when it is not there, cannot be fetched, or is not the pinned one.
        """
        if isinstance(self.origin, OnHub):
            found = hub.fetch_file(self.origin, self.path)
        else:
            found = self.origin.folder_on_disk() / self.path
        if not found.is_file():
            raise ModelMissing(
                f"the model file {found} does not exist: correct the model's settings or install it again"
            )
        if self.sha256 and file_digest(found) != self.sha256:
            raise ModelMissing(
                f"the model file {found} has sha256 {file_digest(found)[:12]}…, expected {self.sha256[:12]}…: "
                f"install it again, or remove the pinned sha256 from the settings to use these weights"
            )
        return found
