"""Publish: one short transaction makes staged records visible in both stores at once, since the catalog decides.

Locks, in this order: the generation's row, indexing rows by document, staged records by id. Documents are never locked
here, and access never refuses a publish.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.catalog import access_clock, generations, inbox, indexing, policies, records
from ingest.catalog.database import AnyRow, Connection, Database
from ingest.catalog.indexing import Lease
from ingest.failpoints import failpoint
from ingest.indexing.planner import Plan
from ingest.indexing.stager import StagedDocument
from ingest.model.record import RecordId

log = logging.getLogger(__name__)

_AGAIN_S = 0.1
"""When documents that a publish left out are planned again."""


@dataclass(slots=True)
class Published:
    """What a publish did. `left_out`: documents that lost their lease or a staged record; they are planned again."""

    epoch: int | None = None
    documents: int = 0
    added: int = 0
    closed: int = 0
    left_out: list[Lease] = field(default_factory=list)


class Publisher:
    """Publishes batches of one generation, at most `rows` records a transaction; publishes are serial."""

    def __init__(self, database: Database, generation_id: int, rows: int = 500) -> None:
        self._database = database
        self._generation_id = generation_id
        self._rows = rows

    def publish(self, staged: Sequence[StagedDocument]) -> Published:
        """Make every complete document visible. Raises StoreUnavailable; then nothing is published."""
        total = Published()
        for batch in self._batches(staged):
            failpoint("publish.before_lock")
            with self._database.write() as tx:
                done = self._publish(tx, batch)
                failpoint("publish.before_commit")
            failpoint("publish.after_commit")
            total.epoch = done.epoch or total.epoch
            total.documents += done.documents
            total.added += done.added
            total.closed += done.closed
            total.left_out += done.left_out
        if total.left_out:
            with self._database.write() as tx:
                indexing.release(tx, total.left_out, again_in_s=_AGAIN_S)
        return total

    def _batches(self, staged: Sequence[StagedDocument]) -> list[list[StagedDocument]]:
        batches: list[list[StagedDocument]] = [[]]
        room = self._rows
        for document in sorted(staged, key=lambda document: document.plan.document_id):
            size = len(document.ids) + len(document.plan.close)
            if batches[-1] and size > room:
                batches.append([])
                room = self._rows
            batches[-1].append(document)
            room -= size
        return [batch for batch in batches if batch]

    def _publish(self, tx: Connection, batch: Sequence[StagedDocument]) -> Published:
        epoch = generations.lock_for_publish(tx, self._generation_id)
        if epoch is None:
            return Published(left_out=[document.lease for document in batch])
        failpoint("publish.after_generation")
        rows = indexing.held_by(tx, [document.lease for document in batch])
        counts = records.lock_staged(tx, [i for document in batch for i in document.ids])
        # Rows are locked and counted first and updated after, document by document, all or nothing.
        complete = [
            document
            for document in batch
            if document.plan.document_id in rows and counts.get(document.plan.document_id, 0) == len(document.ids)
        ]
        failpoint("publish.after_lock")
        chosen = {document.plan.document_id for document in complete}
        left_out = [document.lease for document in batch if document.plan.document_id not in chosen]
        if not complete:
            return Published(left_out=left_out)
        return self._make_visible(tx, complete, rows, epoch + 1, left_out)

    def _make_visible(
        self,
        tx: Connection,
        complete: Sequence[StagedDocument],
        rows: dict[int, AnyRow],
        epoch: int,
        left_out: list[Lease],
    ) -> Published:
        adding = [i for document in complete for i in document.ids]
        records.open_all(tx, adding, epoch)
        clock = access_clock.read(tx)
        closing: list[tuple[RecordId, int]] = []
        for document in complete:
            behind = rows[document.plan.document_id].behind_at
            # never empty: a redaction that only a look noticed must count as older than any later sharing
            stale_since = clock if behind is None else behind
            closing += [(i, stale_since) for i in document.plan.close]
        records.close_all(tx, closing, epoch)
        records.reorder(tx, [pair for document in complete for pair in document.plan.reorder])
        indexing.set_published(tx, self._results(tx, complete, rows))
        generations.set_epoch(tx, self._generation_id, epoch)
        return Published(epoch, len(complete), len(adding), len(closing), left_out)

    def _results(
        self, tx: Connection, complete: Sequence[StagedDocument], rows: dict[int, AnyRow]
    ) -> list[dict[str, Any]]:
        # The access in force is read after the lock: a folder change that commits later leaves work that finds these
        # documents published or in flight, and waits for their rows.
        in_force = policies.access_of(tx, [document.plan.document_id for document in complete])
        results = []
        for document in complete:
            plan = document.plan
            now = in_force[plan.document_id].digest
            added_agree = not document.ids or document.access.digest == now
            kept_agree = not plan.keep or document.carried_before == now
            carried = now if added_agree and kept_agree else None
            results.append(
                {
                    "generation": self._generation_id,
                    "document": plan.document_id,
                    "version": plan.version,
                    "behind": _behind(tx, plan, rows[plan.document_id]),
                    "carried": carried,
                    "access_due": carried is None,
                }
            )
        return results


def _behind(tx: Connection, plan: Plan, row: AnyRow) -> int | None:
    """Since when the text is out of date that this publish makes visible; None when it is not."""
    # asked in a second statement, after the row was locked (DESIGN §3.4)
    uncovered = inbox.oldest_uncovered(tx, plan.document_id, plan.version)
    if row.wanted_version <= plan.version:
        return uncovered
    # A look without an event (a folder's metadata changed) may have found a newer version meanwhile:
    #   1) version 2 is planned and staged
    #   2) the file is redacted unnoticed, and a look for another reason stores version 3
    #   3) version 2 is published; no event is uncovered, so nothing would be known to be out of date
    #   4) the folder is shared: somebody newly allowed gets what was redacted at 2)
    # So what was known to be out of date stays so until the wanted version is published.
    known = [at for at in (row.behind_at, uncovered) if at is not None]
    return min(known) if known else access_clock.read(tx)
