"""The directory source, and its watcher, that the settings describe."""

from ingest.adapters.filesystem.source import FileSource
from ingest.adapters.filesystem.watcher import FileWatcher
from ingest.errors import SettingsInvalid
from ingest.model.access import Policy
from ingest.ports import ContentSource
from ingest.settings import DirectorySource, WatchSettings

_POLL_S = 2.0


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


def watch_directory(knobs: DirectorySource, watch: WatchSettings, source: ContentSource) -> FileWatcher:
    """The watcher of a source that `open_directory_source` made; nothing is watched yet."""
    if not isinstance(source, FileSource):
        raise SettingsInvalid(f"the source at {knobs.path} is not a directory tree and cannot be watched")
    poll_s = _POLL_S if knobs.polling else None
    return FileWatcher(source, poll_s=poll_s, settle_s=watch.settle_s, quiet_s=watch.quiet_s)
