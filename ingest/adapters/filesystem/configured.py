"""The directory source, and its watcher, that the settings describe."""

from ingest.adapters.filesystem.source import FileSource
from ingest.model.access import Policy
from ingest.settings import DirectorySource


def open_directory_source(knobs: DirectorySource, root_policy: Policy | None) -> FileSource:
    """The source; nothing is opened yet. Raises SettingsInvalid."""
    return FileSource(
        knobs.path,
        include=knobs.include,
        exclude=knobs.exclude,
        directory=knobs.directory,
        root_policy=root_policy,
        fallback_encoding=knobs.fallback_encoding or None,
    )
