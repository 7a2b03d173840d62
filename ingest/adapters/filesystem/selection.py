"""Which files and folders of a tree belong to a source."""

from collections.abc import Sequence
from typing import Final

from pathspec import PathSpec
from pathspec.patterns.gitignore import GitIgnorePatternError

from ingest.adapters.filesystem.names import ACCESS_FILE
from ingest.errors import SettingsInvalid

DEFAULT_INCLUDE: Final = ("**/*.md", "**/*.markdown", "**/*.txt")
ALWAYS_EXCLUDED: Final = (
    ".*",  # hidden files and folders, and the swap and lock files of vim, Emacs and LibreOffice
    "*~",
    "~$*",
    "#*#",
    "*.tmp",
    "*.temp",
    "*.bak",
    "*.orig",
    "*.swp",
    "*.swo",
    "*.swx",
    "*.part",
    "*.crdownload",
)


class Selection:
    """Include and exclude patterns in the language of `.gitignore`, matched against keys.

    A document belongs when a pattern of `include` matches it and neither it nor a folder above it is excluded.
    `exclude` comes after ALWAYS_EXCLUDED and the last match counts, so `!*.bak` lets such names in again. As in
    git, a pattern that matches a folder means everything in it. An access file is never a document.
    """

    def __init__(self, include: Sequence[str] = DEFAULT_INCLUDE, exclude: Sequence[str] = ()) -> None:
        """Raises SettingsInvalid naming a pattern that is none."""
        self._include = _compiled("include", include)
        self._exclude = _compiled("exclude", (*ALWAYS_EXCLUDED, *exclude))

    def folder(self, parts: Sequence[str]) -> bool:
        """Whether a folder and all above it belong. The root always does."""
        return all(self.admits_folder("/".join(parts[:end])) for end in range(1, len(parts) + 1))

    def document(self, parts: Sequence[str]) -> bool:
        """Whether a document would belong, and its folders do."""
        return bool(parts) and self.admits_document("/".join(parts)) and self.folder(parts[:-1])

    def admits_folder(self, key: str) -> bool:
        """The same of a folder whose parent is known to belong."""
        return not self._exclude.match_file(key + "/")

    def admits_document(self, key: str) -> bool:
        """The same of a document whose folder is known to belong."""
        if key.rpartition("/")[2] == ACCESS_FILE or self._exclude.match_file(key):
            return False
        return self._include.match_file(key)


def _compiled(setting: str, patterns: Sequence[str]) -> PathSpec:  # type: ignore[type-arg]
    for pattern in patterns:
        try:
            PathSpec.from_lines("gitignore", [pattern])
        except GitIgnorePatternError:
            raise SettingsInvalid(f"{setting}: {pattern!r} is no pattern; see the patterns of .gitignore") from None
    return PathSpec.from_lines("gitignore", patterns, backend="simple")
