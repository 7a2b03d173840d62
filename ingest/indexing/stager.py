"""Stage: put new records where both stores can find them, under fresh ids that nobody may see yet."""

import uuid
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ingest.catalog import indexing, policies, records
from ingest.catalog.database import Connection, Database
from ingest.catalog.indexing import Lease
from ingest.failpoints import failpoint
from ingest.indexing.embedder import Vectors
from ingest.indexing.planner import Addition, Plan
from ingest.model.access import Access
from ingest.model.record import Record, RecordId
from ingest.ports import LexicalIndex, VectorIndex


@dataclass(frozen=True, slots=True)
class StagedDocument:
    """A plan whose new records are in both stores."""

    lease: Lease
    plan: Plan
    ids: tuple[RecordId, ...]
    access: Access
    """What the new records carry."""
    carried_before: str | None
    """Digest of what the kept records carry, as far as it was known when this attempt began."""


@dataclass(slots=True)
class Staged:
    """What a stage reached; `refused` are documents of which a store refuses a record for good."""

    documents: list[StagedDocument] = field(default_factory=list)
    refused: list[tuple[Lease, str]] = field(default_factory=list)
    records: int = 0


class Stager:
    """Writes one generation's two indexes side by side, insert-only, so that sending again is harmless."""

    def __init__(self, database: Database, lexical: LexicalIndex, vector: VectorIndex) -> None:
        self._database = database
        self._lexical = lexical
        self._vector = vector
        self._side_by_side = ThreadPoolExecutor(max_workers=2, thread_name_prefix="stage")

    def close(self) -> None:
        """End the writing threads."""
        self._side_by_side.shutdown()

    def stage(self, plans: Sequence[tuple[Lease, Plan]], vectors: Vectors) -> Staged:
        """Note fresh ids, then write both stores until both can find the records.

        Documents whose lease was lost are left out. Raises Transient when a store does not answer: the leases are
        given back, and the next attempt takes fresh ids and condemns these.
        """
        with self._database.write() as tx:
            documents, to_write = self._note(tx, plans)
        failpoint("stage.after_note")
        refused = self._write(to_write, vectors) if to_write else {}
        failpoint("stage.after_write")
        staged = Staged(records=len(to_write))
        for document in documents:
            reasons = [refused[i] for i in document.ids if i in refused]
            if reasons:
                staged.refused.append((document.lease, reasons[0]))
            else:
                staged.documents.append(document)
        return staged

    def _note(
        self, tx: Connection, plans: Sequence[tuple[Lease, Plan]]
    ) -> tuple[list[StagedDocument], list[tuple[Record, Addition]]]:
        rows = indexing.held_by(tx, [lease for lease, _ in plans])
        failpoint("stage.after_lock")
        mine = [(lease, plan) for lease, plan in plans if lease.document_id in rows]
        if not mine:
            return [], []
        generation_id = mine[0][0].generation_id
        # Ids are fresh in each attempt, and what earlier attempts left staged is condemned:
        #   1) attempt 1 writes record r to one store with the access of then, and fails
        #   2) the access changes, attempt 2 writes r again; insert-only leaves the old fields in the first store
        #   3) publish takes r for complete, and the two stores disagree about who may find it
        # With fresh ids 3) publishes what 2) wrote. Test: test_access_changed_between_two_attempts_at_staging
        records.condemn_staged(tx, generation_id, [lease.document_id for lease, _ in mine])
        indexing.empty_carried(tx, [lease for lease, _ in mine])
        access = policies.access_of(tx, [lease.document_id for lease, _ in mine])
        documents: list[StagedDocument] = []
        to_write: list[tuple[Record, Addition]] = []
        rows_to_add: list[dict[str, Any]] = []
        for lease, plan in mine:
            in_force = access[lease.document_id]
            made = [(_record(lease, addition, in_force), addition) for addition in plan.add]
            rows_to_add += [_row(lease, plan, record, addition) for record, addition in made]
            to_write += made
            ids = tuple(record.id for record, _ in made)
            before = rows[lease.document_id].carried_access
            documents.append(StagedDocument(lease, plan, ids, in_force, before))
        records.stage(tx, rows_to_add)
        return documents, to_write

    def _write(self, to_write: Sequence[tuple[Record, Addition]], vectors: Vectors) -> Mapping[RecordId, str]:
        batch = [record for record, _ in to_write]
        matrix = np.stack([vectors[addition.chunk.input_hash] for _, addition in to_write])
        lexical = self._side_by_side.submit(self._lexical.add, batch, findable=True)
        vector = self._side_by_side.submit(self._vector.add, batch, matrix, findable=True)
        # both are waited for, also when one fails: nothing may still be on its way when the attempt ends
        failures = [error for error in (lexical.exception(), vector.exception()) if error]
        if failures:
            raise failures[0]
        return {**lexical.result(), **vector.result()}


def _record(lease: Lease, addition: Addition, access: Access) -> Record:
    chunk = addition.chunk
    return Record(
        id=RecordId(str(uuid.uuid4())),
        document_id=lease.document_id,
        text=chunk.passage.shown,
        heading_path=chunk.passage.heading_path,
        codes=chunk.codes,
        metadata=chunk.metadata,
        access=access,
    )


def _row(lease: Lease, plan: Plan, record: Record, addition: Addition) -> dict[str, Any]:
    return {
        "id": record.id,
        "generation_id": lease.generation_id,
        "document_id": lease.document_id,
        "chunk": addition.chunk.id,
        "input_hash": addition.chunk.input_hash,
        "order_key": addition.order_key,
        "since_version": plan.version,
        "heading": list(record.heading_path),
        "body": record.text,
        "codes": list(record.codes),
        "metadata": list(record.metadata),
    }
