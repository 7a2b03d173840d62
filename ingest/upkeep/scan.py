"""Scan: compare a source's listing with the catalog and accept a hint for whatever differs.

The listing decides nothing by itself: every difference becomes a hint, and a look confirms it. A scan deletes only what
the catalog knew before the scan began; an incomplete listing deletes nothing below what it could not list; a suspicious
drop is held for `lockstep approve`.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

from ingest.catalog import documents, folders, sources
from ingest.catalog.database import AnyRow, Connection, Database
from ingest.catalog.folders import chains
from ingest.errors import SourceUnavailable
from ingest.failpoints import failpoint
from ingest.indexing.accept import Acceptor
from ingest.model.event import DocumentHint, Event, FolderHint
from ingest.model.source import FileIdentity, Listing
from ingest.ports import ContentSource

log = logging.getLogger(__name__)

_FRESH_NS = 2_000_000_000
"""An mtime within so many nanoseconds of the last look may hide a later change under the same value."""


@dataclass(frozen=True, slots=True)
class ScanSettings:
    """When a drop is suspicious: at least `hold_least` documents and more than `hold_share` of the source."""

    hold_share: float = 0.3
    hold_least: int = 10


@dataclass(slots=True)
class Scanned:
    """What a scan found."""

    listed: int = 0
    changed: int = 0
    missing: int = 0
    held: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Known:
    """What the catalog knew of a source before the scan began."""

    state: str
    approved: int
    folders: Mapping[str, AnyRow]
    documents: Mapping[str, AnyRow]


@dataclass(frozen=True, slots=True)
class Scan:
    """Scans one source."""

    database: Database
    source_id: int
    source: ContentSource
    acceptor: Acceptor
    settings: ScanSettings = field(default_factory=ScanSettings)

    def run(self) -> Scanned:
        """Compare and accept hints. Raises SourceUnavailable, noted with the source, when nothing could be listed."""
        with self.database.read() as tx:
            known = self._known(tx)
        if known.state == "removed":
            return Scanned(problems=["the source was removed: take it out of the settings, or nobody reads it"])
        try:
            listing = self.source.listing()
        except SourceUnavailable as error:
            with self.database.write() as tx:
                sources.note_problem(tx, self.source_id, str(error))
            raise
        failpoint("scan.after_listing")
        scanned = Scanned(listed=len(listing.documents), problems=list(listing.problems))
        missing = self._missing(known, listing)
        scanned.missing = len(missing)
        gone = len(missing) - self._moved(known, missing, listing)
        if self._suspicious(known, gone):
            scanned.held = gone
            problem = (
                f"{gone} of {len(known.documents)} documents are missing from the source: nothing is deleted; "
                f"`lockstep approve` if that is right"
            )
            scanned.problems.append(problem)
            with self.database.write() as tx:
                sources.note_problem(tx, self.source_id, problem, held_drop=gone)
            missing = []
        events = [*self._folder_hints(known, listing, held=bool(scanned.held)), *self._document_hints(known, listing)]
        scanned.changed = len(events)
        # access files first: narrowings are looked at before documents, and documents wait for their folders
        self.acceptor.accept(self.source_id, [*events, *missing])
        if not scanned.held:
            with self.database.write() as tx:
                sources.drop_done(tx, self.source_id)
        return scanned

    def finish(self) -> bool:
        """Call when the looks that the scan caused are done: the source counts as synced unless some still wait.

        A scan that did not go through syncs nothing, and there is nothing to wait for.
        """
        with self.database.write() as tx:
            row = sources.get(tx, self.source_id)
            if row.state == "removed" or row.problem is not None:
                return True
            if folders.waiting(tx, self.source_id):
                return False
            sources.mark_synced(tx, self.source_id)
        return True

    def _known(self, tx: Connection) -> Known:
        row = sources.get(tx, self.source_id)
        found = folders.of_source(tx, self.source_id)
        at = {i: chain.key for i, chain in chains(tx, [f.id for f in found]).items() if chain.alive}
        below = {
            (f"{at[d.folder_id]}/{d.name}" if at[d.folder_id] else d.name): d
            for d in documents.of_source(tx, self.source_id)
            if d.folder_id in at
        }
        return Known(row.state, row.approved_drop, {at[f.id]: f for f in found if f.id in at}, below)

    def _suspicious(self, known: Known, gone: int) -> bool:
        if gone < self.settings.hold_least or gone <= known.approved:
            return False
        return gone > self.settings.hold_share * len(known.documents)

    def _moved(self, known: Known, missing: list[Event], listing: Listing) -> int:
        """How many of the missing documents' files stand elsewhere, at keys that are new: moves are no drop."""
        new = {(now.device, now.inode) for key, now in listing.documents.items() if key not in known.documents}
        return sum((known.documents[hint.key].device, known.documents[hint.key].inode) in new for hint in missing)

    def _missing(self, known: Known, listing: Listing) -> list[Event]:
        return [
            DocumentHint(key)
            for key in known.documents
            if key not in listing.documents and not _unlisted(key, listing.unlisted)
        ]

    def _folder_hints(self, known: Known, listing: Listing, *, held: bool) -> list[Event]:
        hints: list[Event] = []
        for key in sorted({*known.folders, *listing.folders, ""}, key=lambda key: key.count("/")):
            row = known.folders.get(key)
            if row is not None and _unlisted(key, listing.unlisted):
                continue
            if held and key and key not in listing.folders:
                # a look would find the folder gone and end it, with all the documents whose drop is held
                continue
            if row is None or known.state != "live" or row.looked_at is None or _folder_differs(row, key, listing):
                hints.append(FolderHint(key, listing.folders.get(key)))
        return hints

    def _document_hints(self, known: Known, listing: Listing) -> list[Event]:
        return [
            DocumentHint(key, identity)
            for key, identity in sorted(listing.documents.items())
            if key not in known.documents or _document_differs(known.documents[key], identity)
        ]


def _unlisted(key: str, unlisted: frozenset[str]) -> bool:
    return any(folder in {"", key} or key.startswith(f"{folder}/") for folder in unlisted)


def _folder_differs(row: AnyRow, key: str, listing: Listing) -> bool:
    now = listing.folders.get(key)
    if now is None and key:
        return True
    if now is not None and (row.device, row.inode) != (now.device, now.inode):
        return True
    file = listing.access_files.get(key)
    stored = row.access_file
    if (file is None) != (not row.has_access_file) or row.problem is not None:
        return True
    if file is None or stored is None:
        return False
    return _differs(FileIdentity(**stored), file) or _fresh(row.looked_at, file)


def _document_differs(row: AnyRow, now: FileIdentity) -> bool:
    if row.looked_at is None and row.look_held is None:
        return row.look_ready_at is None
    before = FileIdentity(row.device or 0, row.inode or 0, row.size or 0, row.mtime_ns or 0)
    fresh = row.looked_at is not None and _fresh(row.looked_at, now)
    return _differs(before, now) or (fresh and row.look_ready_at is None)


def _differs(before: FileIdentity, now: FileIdentity) -> bool:
    return before != now


def _fresh(looked_at: float, now: FileIdentity) -> bool:
    return abs(looked_at * 1e9 - now.mtime_ns) < _FRESH_NS
