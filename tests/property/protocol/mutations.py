"""Seeded mistakes: each takes one guard of the protocol away, and the harness must then see a promise broken."""

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from threading import get_ident
from typing import Any
from unittest.mock import patch

from sqlalchemy import Connection, select, text, update

from ingest.adapters.memory.index import MemoryIndex
from ingest.catalog import decision, documents, folders, inbox, indexing, records
from ingest.catalog.database import db_now
from ingest.catalog.decision import Verdict
from ingest.catalog.indexing import Lease
from ingest.catalog.tables import documents as documents_table
from ingest.catalog.tables import folders as folders_table
from ingest.catalog.tables import indexing as indexing_table
from ingest.catalog.tables import records as table
from ingest.failpoints import failpoint
from ingest.indexing import look, publisher, stager
from ingest.indexing.look import DocumentLook
from ingest.indexing.planner import Plan
from ingest.indexing.publisher import Publisher
from ingest.indexing.stager import StagedDocument
from ingest.model.principal import Principal
from ingest.model.record import Record, RecordId
from ingest.retrieval import searcher
from ingest.retrieval.authorizer import Authorizer
from tests.property.protocol.profiles import (
    EARLY,
    GROUPED,
    LOOKS,
    METADATA,
    ORDINARY,
    PATCHES,
    REUSE,
    STORES,
    WIDENINGS,
    Profile,
)

Mutation = Callable[[ExitStack], None]


def publish_before_refresh(stack: ExitStack) -> None:
    """Stage goes on before the stores can find what it wrote."""
    insert = MemoryIndex._insert
    stack.enter_context(
        patch.object(MemoryIndex, "_insert", lambda self, records, *, findable: insert(self, records, findable=False))
    )


def ids_reused_across_attempts(stack: ExitStack) -> None:
    """A chunk's record has the same id in every attempt at one version; what earlier attempts staged is kept."""
    make = stager._record

    def same_id(lease: Lease, addition: Any, access: Any) -> Record:
        said = (lease.document_id, lease.generation_id, lease.wanted_version, addition.chunk.id, addition.order_key)
        return replace(make(lease, addition, access), id=RecordId(str(uuid.uuid5(uuid.NAMESPACE_OID, repr(said)))))

    def stage(tx: Connection, rows: Sequence[dict[str, Any]]) -> None:
        there = set(tx.execute(select(table.c.id).where(table.c.id.in_([row["id"] for row in rows]))).scalars())
        put(tx, [row for row in rows if row["id"] not in there])

    def condemn_others(tx: Connection, generation_id: int, document_ids: Sequence[int]) -> None:
        older = (
            table.c.since_version
            < select(indexing_table.c.wanted_version)
            .where(indexing_table.c.document_id == table.c.document_id)
            .scalar_subquery()
        )
        here = (
            table.c.document_id.in_(list(document_ids)),
            table.c.from_epoch.is_(None),
            table.c.condemned_at.is_(None),
        )
        tx.execute(update(table).where(*here, older).values(condemned_at=db_now()))

    put = records.stage
    stack.enter_context(patch.object(records, "stage", stage))
    stack.enter_context(patch.object(stager, "_record", same_id))
    stack.enter_context(patch.object(records, "condemn_staged", condemn_others))


def plain_upsert_in_stage(stack: ExitStack) -> None:
    """The stores take whatever comes under an id, as often as it comes."""

    def upsert(self: MemoryIndex, records: Sequence[Record], *, findable: bool) -> dict[RecordId, str]:
        for record in records:
            self._there().pop(record.id, None)
        return insert(self, records, findable=findable)  # type: ignore[return-value]

    insert = MemoryIndex._insert
    stack.enter_context(patch.object(MemoryIndex, "_insert", upsert))


def look_stores_without_comparing_revisions(stack: ExitStack) -> None:
    """Looks store what they read, whatever has been accepted since they began."""

    def folder_changed(tx: Connection, folder_id: int, revision: int, **values: Any) -> bool:
        here = update(folders_table).where(folders_table.c.id == folder_id)
        return tx.execute(here.values(revision=folders_table.c.revision + 1, **values)).rowcount == 1

    def document_changed(tx: Connection, document_id: int, *, revision: int, token: int, **values: Any) -> bool:
        here = update(documents_table).where(
            documents_table.c.id == document_id,
            documents_table.c.look_token == token,
            documents_table.c.deleted_at.is_(None),
        )
        values |= {"revision": documents_table.c.revision + 1, "looked_at": db_now()}
        return tx.execute(here.values(**values)).rowcount == 1

    stack.enter_context(patch.object(folders, "changed", folder_changed))
    stack.enter_context(patch.object(documents, "changed", document_changed))
    stack.enter_context(patch.object(look, "_moved_on", lambda *_: False))


def prefilter_principals_decide(stack: ExitStack) -> None:
    """The groups that the prefilter found are given to the decision, which expands from them."""
    snapshot = searcher.Searcher._snapshot
    found: dict[int, frozenset[Principal]] = {}

    def remembering(self: Any, stated: frozenset[Principal]) -> Any:
        generation, caller = snapshot(self, stated)
        found[get_ident()] = caller
        return generation, caller

    def reusing(database: Any, stated: Any, *rest: Any) -> Authorizer:
        return Authorizer(database, found[get_ident()], *rest)

    stack.enter_context(patch.object(searcher.Searcher, "_snapshot", remembering))
    stack.enter_context(patch.object(searcher, "Authorizer", reusing))


def stamps_ignored(stack: ExitStack) -> None:
    """Text that is closed or behind is returned under the access of now, whatever was widened since."""
    verdict = decision._verdict

    def never_pending(row: Any, with_text: bool) -> Verdict:
        return replace(verdict(row, with_text), pending=False)

    stack.enter_context(patch.object(decision, "_verdict", never_pending))


def behind_emptied_without_the_row_lock(stack: ExitStack) -> None:
    """The inbox is asked before the row is locked: accept may commit in between."""
    conclude, publish = DocumentLook._conclude, Publisher.publish
    waits, oldest = inbox.waits, inbox.oldest_uncovered
    of_look: dict[int, bool] = {}
    of_publish: dict[int, dict[int, int | None]] = {}

    def look_asks_early(self: DocumentLook, source: Any, known: Any, seen: Any) -> Any:
        with self._database.read() as tx:
            of_look[get_ident()] = inbox.waits_beyond(tx, known.id, known.token)
        failpoint("look.after_early_question")
        return conclude(self, source, known, seen)

    def publish_asks_early(self: Publisher, staged: Sequence[StagedDocument]) -> Any:
        with self._database.read() as tx:
            of_publish[get_ident()] = {
                d.plan.document_id: oldest(tx, d.plan.document_id, d.plan.version) for d in staged
            }
        failpoint("publish.after_early_question")
        return publish(self, staged)

    def apply_by_the_early_answer(tx: Connection, known: Any, *rest: Any, **named: Any) -> None:
        inside.add(get_ident())
        try:
            apply(tx, known, *rest, **named)
        finally:
            inside.discard(get_ident())

    def asked(tx: Connection, document_id: int) -> bool:
        return of_look[get_ident()] if get_ident() in inside else waits(tx, document_id)

    apply, inside = look._apply, set[int]()
    stack.enter_context(patch.object(look, "_apply", apply_by_the_early_answer))
    stack.enter_context(patch.object(inbox, "waits", asked))
    stack.enter_context(patch.object(inbox, "oldest_uncovered", lambda _tx, i, _version: of_publish[get_ident()][i]))
    stack.enter_context(patch.object(DocumentLook, "_conclude", look_asks_early))
    stack.enter_context(patch.object(Publisher, "publish", publish_asks_early))


def behind_emptied_under_a_newer_version(stack: ExitStack) -> None:
    """A publish asks the inbox alone, though a look without an event has stored a newer version."""

    def inbox_alone(tx: Connection, plan: Plan, _row: Any) -> int | None:
        return inbox.oldest_uncovered(tx, plan.document_id, plan.version)

    stack.enter_context(patch.object(publisher, "_behind", inbox_alone))


def carried_access_not_emptied(stack: ExitStack) -> None:
    """An attempt leaves `carried_access` as it was until it ends."""
    claim = indexing.claim_access

    def claim_and_keep(tx: Connection, *args: Any, **named: Any) -> list[Lease]:
        rows = tx.execute(text("SELECT document_id, carried_access FROM indexing"))
        before: dict[int, str | None] = {row.document_id: row.carried_access for row in rows}
        leases = claim(tx, *args, **named)
        for lease in leases:
            tx.execute(
                text("UPDATE indexing SET carried_access = :c WHERE document_id = :d"),
                {"c": before[lease.document_id], "d": lease.document_id},
            )
        return leases

    def keep(tx: Connection, leases: Iterable[Lease]) -> None:
        pass

    stack.enter_context(patch.object(indexing, "claim_access", claim_and_keep))
    stack.enter_context(patch.object(indexing, "empty_carried", keep))


def closed_record_with_empty_stale_since(stack: ExitStack) -> None:
    """A closed record does not say since when it is out of date, and is read like one that is not."""
    close = records.close_all

    def forget(tx: Connection, closing: Iterable[tuple[RecordId, int]], epoch: int) -> None:
        ids = list(closing)
        close(tx, ids, epoch)
        tx.execute(text("UPDATE records SET stale_since = NULL WHERE to_epoch = :e"), {"e": epoch})

    stack.enter_context(patch.object(records, "close_all", forget))


@dataclass(frozen=True)
class Seeded:
    """A mistake, what a run must dwell on to meet it soon, and which promises it may break."""

    apply: Mutation
    promises: frozenset[str]
    profile: Profile = ORDINARY
    length: int = 80


def _seeded(apply: Mutation, promises: str, profile: Profile = ORDINARY, length: int = 80) -> tuple[str, Seeded]:
    return apply.__name__, Seeded(apply, frozenset(promises.split()), profile, length)


MUTATIONS = dict(
    [
        _seeded(publish_before_refresh, "P1"),
        _seeded(ids_reused_across_attempts, "P1 P9", REUSE, 40),
        _seeded(plain_upsert_in_stage, "P1 P9", STORES, 40),
        _seeded(look_stores_without_comparing_revisions, "P3 P4 P6", LOOKS),
        _seeded(prefilter_principals_decide, "P3", GROUPED),
        _seeded(stamps_ignored, "P3", WIDENINGS),
        _seeded(behind_emptied_without_the_row_lock, "P3", EARLY),
        _seeded(behind_emptied_under_a_newer_version, "P3", METADATA),
        _seeded(carried_access_not_emptied, "P1 P9", PATCHES, 40),
        _seeded(closed_record_with_empty_stale_since, "P3"),
    ]
)


@contextmanager
def applied(name: str | None) -> Iterator[None]:
    """Inside, one guard is gone."""
    with ExitStack() as stack:
        if name is not None:
            MUTATIONS[name].apply(stack)
        yield
