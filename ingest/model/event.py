"""Events: something that happened at a source. Hints to look, unless signed and explicit."""

from dataclasses import dataclass

from ingest.model.source import FileIdentity


@dataclass(frozen=True, slots=True)
class DocumentHint:
    """A document may have changed, appeared or gone. Hides nothing by itself: a look decides."""

    key: str
    identity: FileIdentity | None = None
    """What was seen there when the hint arose, if anything; lets a look at the old key recognise a move."""
    settle_s: float = 0.0
    """How long the look should wait for the file to come to rest; further hints move it, `settle_max_s` at most."""


@dataclass(frozen=True, slots=True)
class FolderHint:
    """A folder, or its access file, may have changed, appeared or gone."""

    key: str
    identity: FileIdentity | None = None
    settle_s: float = 0.0


@dataclass(frozen=True, slots=True)
class DocumentDeleted:
    """An explicit delete by somebody entitled to it: believed, and in force at the acknowledgement."""

    key: str


Event = DocumentHint | FolderHint | DocumentDeleted
