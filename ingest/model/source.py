"""What a look at a source shows: values a source hands over and the catalog stores."""

from dataclasses import dataclass, field
from typing import Literal

from ingest.model.access import AccessRules
from ingest.model.principal import Principal

Media = Literal["markdown", "plain"]


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """What the file system says of a file or folder without reading it.

    Equal values only excuse a re-read, and only when `mtime_ns` is 2 s old; they are never a version. Device and
    inode (with the size, for files) let a look recognise a move.
    """

    device: int
    inode: int
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class DocumentSeen:
    """A document as a look found it."""

    text: str
    """Normalised: line ends are \\n, no byte-order mark, no front matter."""
    media: Media
    identity: FileIdentity
    metadata: dict[str, str] = field(default_factory=dict)
    """From the document itself; values as strings."""
    title: str = ""
    link: str = ""
    encoding: str = "utf-8"
    closed: str | None = None
    """Why nobody may read the document whatever its folder says, for instance an access key in its front matter."""


@dataclass(frozen=True, slots=True)
class FolderSeen:
    """A folder as a look found it. `identity` is the folder's own; `access_file` that of its access file, if any."""

    identity: FileIdentity
    rules: AccessRules
    access_file: FileIdentity | None

    @property
    def has_access_file(self) -> bool:
        """Whether the folder has an access file of its own."""
        return self.access_file is not None


@dataclass(frozen=True, slots=True)
class Gone:
    """A look confirmed that the thing does not exist, or is no longer part of the source (excluded, a link out)."""

    reason: str = "gone"


@dataclass(frozen=True, slots=True)
class Listing:
    """A walk over a source, or a part of it. Keys are folder names and name joined by `/`; the root folder is ''."""

    folders: dict[str, FileIdentity]
    documents: dict[str, FileIdentity]
    access_files: dict[str, FileIdentity]
    """By key of their folder."""
    unlisted: frozenset[str]
    """Folders whose content could not be listed: nothing follows for what is below them."""
    problems: tuple[str, ...] = ()
    """One line each, naming a path and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Membership:
    """One edge of a directory: `member` (a user or a group) belongs to `group`."""

    member: Principal
    group: Principal
