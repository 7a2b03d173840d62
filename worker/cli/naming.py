"""Documents may be named by the path of their file, as the shell completes it."""

from pathlib import Path
from typing import Any

from ingest.settings import Settings


def with_keys(settings: Settings, parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters of an operation, with paths of files replaced by what operations call the documents."""
    translated = dict(parameters)
    if "document" in parameters:
        translated["document"] = key_of(settings, parameters["document"])
    if "documents" in parameters:
        translated["documents"] = [key_of(settings, one) for one in parameters["documents"]]
    return translated


def key_of(settings: Settings, written: str) -> str:
    """`SOURCE:KEY` for a path into a source's tree, whether the file is still there or not; else what was written."""
    here = Path.cwd()
    path = (here / written).absolute()
    for name, source in settings.sources.items():
        # inside the tree a name that is no file is a key: seen from a folder there it would lead elsewhere
        leads_in = path.exists() or not here.is_relative_to(source.path)
        if leads_in and path.is_relative_to(source.path) and ".." not in path.parts:
            return f"{name}:{path.relative_to(source.path).as_posix()}"
    return written
