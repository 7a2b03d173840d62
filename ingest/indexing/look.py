"""Look at documents: read the source, compare what the look remembered, store what it found.

Nothing is locked while the source is read. A look remembers the revisions of the document and of its folders before it
opens the source, and stores only if none of them moved; else it looks again. Locks when storing: folders (shared), the
document, its indexing rows, then, for a widening only, the access clock.
"""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ingest.catalog import access_clock, contents, documents, folders, generations, inbox, indexing, policies
from ingest.catalog.database import Connection, Database
from ingest.catalog.folders import Chain
from ingest.errors import Permanent, SourceUnsettled, StoreFull, Transient
from ingest.failpoints import failpoint
from ingest.indexing import moves
from ingest.indexing.accept import end_document
from ingest.model.access import UNREADABLE, Policy
from ingest.model.policy_rules import document_policy, rule_metadata
from ingest.model.source import DocumentSeen, FileIdentity, Gone
from ingest.ports import ContentSource

log = logging.getLogger(__name__)


_RESTED_NS = 2_000_000_000
"""A change within so many nanoseconds of an mtime may leave it as it is."""


class LookOutcome(StrEnum):
    """How a look at a document ended."""

    STORED = "stored"
    CONFIRMED = "confirmed"
    DELETED = "deleted"
    MOVED = "moved"
    AGAIN = "again"
    HELD = "held"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class Remembered:
    """A document as the catalog knew it before the source was opened."""

    id: int
    token: int
    source_id: int
    folder_id: int
    name: str
    revision: int
    content_version: int
    identity: FileIdentity | None
    chain: Chain

    @property
    def key(self) -> str:
        """Where it is expected."""
        return f"{self.chain.key}/{self.name}" if self.chain.key else self.name


@dataclass(frozen=True, slots=True)
class LookSettings:
    """Times in seconds."""

    lease_s: float = 60.0
    again_s: float = 0.05
    unavailable_s: float = 5.0
    attempts: int = 3
    batch: int = 64


class DocumentLook:
    """Looks at whatever documents are due."""

    def __init__(self, database: Database, sources: Mapping[int, ContentSource], settings: LookSettings) -> None:
        self._database = database
        self._sources = sources
        self._settings = settings

    def drain(self) -> dict[LookOutcome, int]:
        """Look at one claim of due documents; counts by outcome. Empty when none was due."""
        counts: dict[LookOutcome, int] = {}
        with self._database.write() as tx:
            claimed = documents.claim_looks(tx, self._settings.batch, self._settings.lease_s)
            for row in claimed:
                inbox.lease(tx, row.id, row.look_token)
        for row in claimed:
            outcome = self._look(row.id, row.look_token, row.look_attempts)
            counts[outcome] = counts.get(outcome, 0) + 1
        return counts

    def _look(self, document_id: int, token: int, attempts: int) -> LookOutcome:
        with self._database.read() as tx:
            known = self._remember(tx, document_id, token)
        if known is None:
            return LookOutcome.AGAIN
        if attempts >= self._settings.attempts:
            return self._hold(
                known, f"its worker died {attempts} times while reading this document; see `lockstep retry`"
            )
        if any(link.looked_at is None for link in known.chain.links):
            # a folder never looked at is looked at first: its metadata and policy belong to the document
            return self._end(document_id, token, LookOutcome.AGAIN, again_in_s=self._settings.again_s)
        return self._read_and_store(known)

    def _read_and_store(self, known: Remembered) -> LookOutcome:
        failpoint("look.before_read")
        source = self._sources.get(known.source_id)
        if source is None:
            return self._end(known.id, known.token, LookOutcome.UNAVAILABLE, again_in_s=None)
        try:
            # what stood in a folder that ended is gone, whatever stands at the same key now
            seen = source.document(known.key) if known.chain.alive else Gone("its folder ended")
            failpoint("look.after_read")
            outcome = self._conclude(source, known, seen)
        except SourceUnsettled:
            return self._end(known.id, known.token, LookOutcome.AGAIN, again_in_s=self._settings.again_s)
        except Transient:
            return self._end(known.id, known.token, LookOutcome.UNAVAILABLE, again_in_s=self._settings.unavailable_s)
        except StoreFull:
            # the catalog's disk, and no fault of the document: it is looked at again
            self._end(known.id, known.token, LookOutcome.UNAVAILABLE, again_in_s=self._settings.unavailable_s)
            raise
        except Permanent as error:
            return self._hold(known, str(error))
        failpoint("look.after_commit")
        return outcome

    def _remember(self, tx: Connection, document_id: int, token: int) -> Remembered | None:
        row = documents.get(tx, document_id)
        if row is None or row.deleted_at is not None or row.look_token != token:
            return None
        seen = None if row.inode is None else FileIdentity(row.device, row.inode, row.size or 0, row.mtime_ns or 0)
        chain = folders.chains(tx, [row.folder_id])[row.folder_id]
        return Remembered(
            document_id, token, row.source_id, row.folder_id, row.name, row.revision, row.content_version, seen, chain
        )

    def _hold(self, known: Remembered, reason: str) -> LookOutcome:
        log.warning("held", extra={"event": "look.held", "document": known.id, "reason": reason})
        file = self._file_at_rest(known)
        with self._database.write() as tx:
            documents.release_look(tx, known.id, known.token, again_in_s=None, held=reason)
            if file is not None:
                documents.remember_file(tx, known.id, known.token, file)
        return LookOutcome.HELD

    def _file_at_rest(self, known: Remembered) -> FileIdentity | None:
        """What stands there, unless it is so new that it may have changed since it was read."""
        try:
            file = self._sources[known.source_id].identity(known.key)
        except (KeyError, Transient):
            return None
        return file if file is not None and abs(time.time_ns() - file.mtime_ns) > _RESTED_NS else None

    def _end(self, document_id: int, token: int, outcome: LookOutcome, *, again_in_s: float | None) -> LookOutcome:
        with self._database.write() as tx:
            documents.release_look(tx, document_id, token, again_in_s=again_in_s)
        return outcome

    def _conclude(self, source: ContentSource, known: Remembered, seen: DocumentSeen | Gone) -> LookOutcome:
        with self._database.write() as tx:
            place = moves.Place(known.id, known.source_id, known.folder_id, known.name, known.key)
            outcome = self._store(tx, source, known, place, seen)
            failpoint("look.before_commit")
        if outcome is LookOutcome.AGAIN:
            return self._end(known.id, known.token, outcome, again_in_s=0.0)
        return outcome

    def _store(
        self, tx: Connection, source: ContentSource, known: Remembered, place: moves.Place, seen: DocumentSeen | Gone
    ) -> LookOutcome:
        if isinstance(seen, Gone):
            heir = moves.heir(tx, source, place, known.identity) if known.content_version else None
            if heir is not None:
                return _store_move(tx, source, known, mover=place, placeholder=heir)
            return store_gone(tx, known)
        if known.content_version == 0:
            mover = moves.mover(tx, source, place, seen.identity)
            if mover is not None:
                return _store_move(tx, source, known, mover=mover, placeholder=place)
        return store_document(tx, known, seen)


def _store_move(
    tx: Connection, source: ContentSource, known: Remembered, *, mover: moves.Place, placeholder: moves.Place
) -> LookOutcome:
    above = folders.chains(tx, {mover.folder_id, placeholder.folder_id}).values()
    folders.lock_shared(tx, sorted({link.id for chain in above for link in chain.links}))
    if _moved_on(tx, known) or not all(c.alive for c in folders.chains(tx, [placeholder.folder_id]).values()):
        return LookOutcome.AGAIN
    documents.lock(tx, [mover.id, placeholder.id])
    row = documents.get(tx, known.id)
    if row is None or row.look_token != known.token:
        return LookOutcome.AGAIN
    moved = moves.move(tx, source, mover=mover, placeholder=placeholder)
    return LookOutcome.MOVED if moved else LookOutcome.AGAIN


def store_gone(tx: Connection, known: Remembered) -> LookOutcome:
    """End a document that a look did not find, unless something newer is known since the look began."""
    # A folder that moved took the document along: it was looked for where it no longer belongs.
    if _moved_on(tx, known):
        return LookOutcome.AGAIN
    documents.lock(tx, [known.id])
    row = documents.get(tx, known.id)
    if row is None or row.look_token != known.token or row.deleted_at is not None:
        return LookOutcome.AGAIN
    # Asked after the row is locked, in a statement of its own:
    #   1) a look finds the file gone
    #   2) the file comes back, and its hint is accepted: that moves no revision
    #   3) the look ends the document and every event with it: nobody looks at the file
    # An event that this look does not cover means at 3) that it looks again. Found by tests/property (P5).
    if inbox.waits_beyond(tx, known.id, known.token):
        return LookOutcome.AGAIN
    if known.content_version == 0:
        inbox.end_all(tx, known.id, version=0, outcome="never there")
        documents.drop_placeholder(tx, known.id)
    else:
        end_document(tx, known.id, outcome="deleted")
    return LookOutcome.DELETED


def _moved_on(tx: Connection, known: Remembered) -> bool:
    """Whether a folder above changed since the look began. Locks the folders against change."""
    above = known.chain.links
    locked = folders.lock_shared(tx, [link.id for link in above])
    return any(locked.get(link.id) != link.revision for link in above)


def store_document(tx: Connection, known: Remembered, seen: DocumentSeen) -> LookOutcome:
    """Store what a look found, unless the document or a folder above it changed since the look began."""
    if _moved_on(tx, known):
        return LookOutcome.AGAIN
    rules = known.chain.links[0].document_rules
    policy = UNREADABLE if seen.closed else document_policy(rules, known.name)
    metadata = known.chain.metadata | rule_metadata(rules, known.name) | seen.metadata
    before = policies.policy_of(tx, "d", known.id)
    differs = contents.stored_hash(tx, known.id) != contents.hash_content(seen, metadata)
    version = known.content_version + 1 if differs else known.content_version
    # The document's own revision is compared in the UPDATE itself, as the folders' are above under their locks:
    #   1) a look reads the document
    #   2) a revocation or a delete is accepted and acknowledged
    #   3) the look stores content and policy from before it
    # At 3) the revision has moved, no row is updated, and the look is done again.
    stored = documents.changed(
        tx,
        known.id,
        revision=known.revision,
        token=known.token,
        policy=policy.kind,
        closed=seen.closed,
        content_version=version,
        device=seen.identity.device,
        inode=seen.identity.inode,
        size=seen.identity.size,
        mtime_ns=seen.identity.mtime_ns,
    )
    if not stored:
        return LookOutcome.AGAIN
    failpoint("look.after_compare")
    _apply(tx, known, seen, metadata, version, differs=differs)
    _apply_policy(tx, known, before, policy)
    documents.release_look(tx, known.id, known.token, again_in_s=0.0 if inbox.waits(tx, known.id) else None)
    return LookOutcome.STORED if differs else LookOutcome.CONFIRMED


def _apply(
    tx: Connection, known: Remembered, seen: DocumentSeen, metadata: dict[str, str], version: int, *, differs: bool
) -> None:
    if differs:
        contents.store(tx, known.id, version, seen, metadata)
        indexing.ensure(tx, [generation.id for generation in generations.maintained(tx)], known.id)
        indexing.mark_behind(tx, [known.id])
        indexing.want(tx, known.id, version)
        inbox.complete(tx, known.id, known.token, version=version, outcome="stored")
        return
    rows = indexing.lock(tx, [known.id])
    inbox.complete(tx, known.id, known.token, version=version, outcome="confirmed")
    # The inbox is asked in a second statement, after the rows are locked. One UPDATE … WHERE NOT EXISTS (inbox) would
    # empty behind_at although a change committed while it waited for the row:
    #   1) the UPDATE evaluates NOT EXISTS on its snapshot, then waits for the row
    #   2) accept, which holds the row, notes an event and commits
    #   3) the UPDATE goes on with its old snapshot and empties behind_at
    # Test: test_a_change_accepted_while_a_look_empties_behind_at_is_not_forgotten
    if inbox.waits(tx, known.id):
        return
    for row in rows:
        if row.published_version == row.wanted_version:
            indexing.set_behind(tx, row.generation_id, known.id, None)


def _apply_policy(tx: Connection, known: Remembered, before: Policy, policy: Policy) -> None:
    if before == policy:
        return
    policies.write_entries(tx, "d", known.id, policy)
    if known.content_version == 0:
        return  # no record carries anything yet, and text that nobody ever could read needs no stamp
    for generation in generations.maintained(tx):
        indexing.make_access_due(tx, generation.id, [known.id])
    # any widening moves the clock, last of all locks
    if not policy.only_narrows(before):
        documents.stamp(tx, known.id, access_clock.advance(tx))
