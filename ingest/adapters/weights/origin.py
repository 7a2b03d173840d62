"""Origins: where the files of a model come from."""

import importlib.util
from dataclasses import dataclass
from pathlib import Path

from ingest.errors import ModelMissing


@dataclass(frozen=True, slots=True)
class InPackage:
    """Files inside an installed Python package, which is not imported."""

    package: str
    """Its import name."""
    folder: str = ""

    def folder_on_disk(self) -> Path:
        """Raises ModelMissing when the package is not installed."""
        try:
            spec = importlib.util.find_spec(self.package)
        except (ImportError, ValueError):  # a dotted name without its parent, or no name at all
            spec = None
        if spec is None or not spec.submodule_search_locations:
            wheel = self.package.replace("_", "-")
            raise ModelMissing(f"the package {wheel} that brings this model is not installed: pip install {wheel}")
        return Path(spec.submodule_search_locations[0]) / self.folder


@dataclass(frozen=True, slots=True)
class InDirectory:
    """Files in a directory of the user's."""

    directory: Path

    def folder_on_disk(self) -> Path:
        """Raises ModelMissing when there is no such directory."""
        if not self.directory.is_dir():
            raise ModelMissing(f"there is no model directory {self.directory}: correct the path in the settings")
        return self.directory


@dataclass(frozen=True, slots=True)
class OnHub:
    """Files of a repository on the Hugging Face hub, fetched into its cache once."""

    repository: str
    """`owner/name`."""
    revision: str = "main"
    """A branch, tag or commit; a commit makes sure that nobody gets other weights later."""
    cache: Path | None = None
    """Folder of the hub's cache; None = the hub client's own choice."""


Origin = InPackage | InDirectory | OnHub
