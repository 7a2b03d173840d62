"""Accept: one transaction notes events and applies at once what must hold at the acknowledgement.

Locks: folders, documents, indexing rows (each by id); hints widen nothing, so the clock is only read.
"""

import dataclasses
import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ingest.catalog import access_clock, documents, folders, generations, inbox, indexing, sources
from ingest.catalog.database import Connection, Database
from ingest.failpoints import failpoint
from ingest.model.access import PolicyKind
from ingest.model.event import DocumentDeleted, DocumentHint, Event, FolderHint
from ingest.model.source import FileIdentity
from ingest.ports import Doorbell

log = logging.getLogger(__name__)

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Acceptor:
    """Takes events of sources. When `accept` has returned, they are durable and their narrowings are in force."""

    database: Database
    doorbell: Doorbell
    settle_max_s: float = 5.0

    def accept(self, source_id: int, events: Sequence[Event], event_ids: Sequence[str] | None = None) -> int:
        """Note events that arose together; returns how many were new.

        An event that is known by its id changes nothing (P7). Raises Refused for a known id with another body,
        StoreUnavailable when the catalog does not answer: then nothing is accepted and the sender has to try again.
        """
        ids = event_ids or [str(uuid.uuid4()) for _ in events]
        known = 0
        for start in range(0, len(events), _AT_ONCE):
            with self.database.write() as tx:
                known += self.note(tx, source_id, events[start : start + _AT_ONCE], ids[start : start + _AT_ONCE])
                failpoint("accept.before_commit")
            failpoint("accept.after_commit")
        self.doorbell.ring("changes")
        return known

    def note(
        self, tx: Connection, source_id: int, events: Sequence[Event], event_ids: Sequence[str] | None = None
    ) -> int:
        """The same inside a transaction that causes the events, so that they are there when it is; rings nobody."""
        ids = event_ids or [str(uuid.uuid4()) for _ in events]
        source = sources.get(tx, source_id)
        if source.state == "removed":
            return 0
        # Known events are left out before anything is made or marked:
        #   1) an event has been applied, and its look confirmed the document: nothing waits, nothing is behind
        #   2) the event comes again and sets behind_at, which no look is due to empty
        #   3) the next widening leaves the document out as pending, for ever
        # Found by tests/property/test_protocol.py (P7).
        known = inbox.known(tx, source_id, {i: _body(event) for event, i in zip(events, ids, strict=True)})
        events, ids = (
            [event for event, i in zip(events, ids, strict=True) if i not in known],
            [i for i in ids if i not in known],
        )
        failpoint("accept.after_known")
        born = PolicyKind.UNREADABLE if source.can_look else PolicyKind.INHERIT
        at = _folders(tx, source_id, events, born)
        new = 0
        for event, event_id in sorted(zip(events, ids, strict=True), key=lambda pair: _lock_order(pair[0], at)):
            if isinstance(event, FolderHint):
                new += self._hint_folder(tx, source_id, at[event.key], event, event_id)
        # documents before indexing rows, as everywhere: a look that stores holds the document and waits for the rows
        rows = _documents(tx, source_id, [event for event in events if not isinstance(event, FolderHint)], at)
        found = [
            (*rows[event.key], event, event_id)
            for event, event_id in zip(events, ids, strict=True)
            if not isinstance(event, FolderHint)
        ]
        found.sort(key=lambda item: item[0])
        # Known events are asked for once more, now that nobody else can apply one to these documents:
        #   1) an event comes, and is not known
        #   2) it comes again on another connection, is applied, and a look confirms the document
        #   3) the first one sets behind_at, and then finds that it is known: no look is due to empty behind_at
        # Test: test_an_event_whose_repetition_was_under_way_hides_nothing_for_ever
        known = inbox.known(tx, source_id, {event_id: _body(event) for *_, event, event_id in found})
        found = [item for item in found if item[-1] not in known]
        clock = indexing.mark_behind(tx, {document_id for document_id, *_ in found}) if found else 0
        for document_id, made, event, event_id in found:
            new += self._apply(
                tx,
                source_id=source_id,
                document_id=document_id,
                made=made,
                event=event,
                event_id=event_id,
                clock=clock,
            )
        return new

    def _hint_folder(self, tx: Connection, source_id: int, folder_id: int, event: FolderHint, event_id: str) -> int:
        clock = access_clock.read(tx)
        body = _body(event)
        if not inbox.add(tx, source_id=source_id, event_id=event_id, body=body, clock=clock, folder_id=folder_id):
            return 0
        # The revision moves here, so that a look begun before this hint cannot store what it read:
        #   1) a look opens the access file, which still shares
        #   2) the file is changed to revoke, and its hint is accepted
        #   3) the look stores the old sharing as if it were newer
        # At 3) the revision differs from the one remembered before 1). Test: test_a_look_begun_before_a_revocation…
        folders.hint(tx, folder_id, event.settle_s)
        if event.identity is not None:
            folders.remember_inode(tx, folder_id, event.identity.device, event.identity.inode)
        return 1

    def _apply(  # noqa: PLR0917 -- one row's worth
        self,
        tx: Connection,
        source_id: int,
        document_id: int,
        made: bool,
        event: DocumentHint | DocumentDeleted,
        event_id: str,
        clock: int,
    ) -> int:
        body = _body(event)
        if not inbox.add(tx, source_id=source_id, event_id=event_id, body=body, clock=clock, document_id=document_id):
            return 0
        if isinstance(event, DocumentDeleted):
            end_document(tx, document_id, outcome="deleted")
        else:
            settle, seen = event.settle_s, event.identity
            documents.hint(tx, document_id, settle_s=settle, settle_max_s=self.settle_max_s, identity=seen, new=made)
        return 1


def _folders(tx: Connection, source_id: int, events: Sequence[Event], born: PolicyKind) -> dict[str, int]:
    """The folders of events, made where they are missing and locked against ending and moving, by key."""
    wanted = {event.key if isinstance(event, FolderHint) else _parent(event.key) for event in events}
    change = any(isinstance(event, FolderHint) for event in events)
    # A row is found, locked, and only then known to be there still:
    #   1) an event finds a row, and waits for whoever has it locked
    #   2) a look that found the thing gone ends the row, or gives it another place, with the events that it knew of
    #   3) the event goes on with the row: nobody looks at what it told of
    # At 3) the row is looked for once more. The same for documents. Tests: tests/fault/test_vanishing_rows.py
    while True:
        at = folders.ensure(tx, source_id, wanted, born=born)
        if folders.lock_at(tx, at, change=change):
            return at


def _documents(
    tx: Connection, source_id: int, events: Sequence[Event], at: dict[str, int]
) -> dict[str, tuple[int, bool]]:
    """The documents of events, made where they are missing (then with True) and locked, by key."""
    places = {event.key: (at[_parent(event.key)], _name(event.key)) for event in events}
    made: set[int] = set()
    while True:
        found: dict[tuple[int, str], int] = {}
        for place in sorted(places.values()):
            found[place], new = documents.ensure(tx, source_id, *place)
            made |= {found[place]} if new else set()
        if documents.lock_at(tx, found):
            return {key: (found[place], found[place] in made) for key, place in places.items()}


def end_document(tx: Connection, document_id: int, *, outcome: str) -> None:
    """Delete a document: hidden at the commit; the ordinary path then closes every record, without look or model."""
    version = documents.end(tx, document_id)
    indexing.ensure(tx, [generation.id for generation in generations.maintained(tx)], document_id)
    indexing.lock(tx, [document_id])
    indexing.want(tx, document_id, version)
    inbox.end_all(tx, document_id, version=version, outcome=outcome)


def _body(event: Event) -> dict[str, Any]:
    said: dict[str, Any] = {"kind": type(event).__name__, "key": event.key}
    seen: FileIdentity | None = getattr(event, "identity", None)
    return said | ({"identity": dataclasses.asdict(seen)} if seen else {})


def _lock_order(event: Event, at: dict[str, int]) -> int:
    return at[event.key] if isinstance(event, FolderHint) else 0


def _parent(key: str) -> str:
    return key.rpartition("/")[0]


def _name(key: str) -> str:
    return key.rpartition("/")[2]
