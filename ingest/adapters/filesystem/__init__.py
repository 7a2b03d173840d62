"""A directory tree as a source: looked at through `source`, watched by `watcher`; groups from one file."""
