"""Guards of staging, publishing, access fields and vacuum, each taken away alone."""

import uuid
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from sqlalchemy import delete, select, text

from ingest.adapters.memory.index import MemoryIndex
from ingest.catalog import generations, indexing, policies, records, tables
from ingest.catalog.database import AnyRow, Connection
from ingest.catalog.indexing import Lease
from ingest.indexing import access_fields, publisher, stager, vacuum
from ingest.indexing.publisher import Published, Publisher
from ingest.indexing.stager import StagedDocument
from ingest.indexing.vacuum import Vacuum
from ingest.model.record import Record, RecordId
from tests.fault.modules import module_with


@contextmanager
def waiting_until_stores_find_records() -> Iterator[None]:
    """What was written is published before searches see it."""
    insert = MemoryIndex._insert

    def unrefreshed(self: MemoryIndex, found: Sequence[Record], *, findable: bool) -> Any:
        return insert(self, found, findable=False)

    with patch.object(MemoryIndex, "_insert", unrefreshed):
        yield


@contextmanager
def inserting_only() -> Iterator[None]:
    """A store overwrites what it has under an id."""
    insert = MemoryIndex._insert

    def upsert(self: MemoryIndex, found: Sequence[Record], *, findable: bool) -> Any:
        for record in found:
            self._there().pop(record.id, None)
        return insert(self, found, findable=findable)

    with patch.object(MemoryIndex, "_insert", upsert):
        yield


@contextmanager
def comparing_tokens() -> Iterator[None]:
    """Whoever once had a lease may go on."""

    def held_by(tx: Connection, leases: Sequence[Lease]) -> dict[int, AnyRow]:
        rows = indexing.lock(tx, [lease.document_id for lease in leases], leases[0].generation_id)
        return {row.document_id: row for row in rows}

    with patch.object(publisher, "indexing", module_with(indexing, held_by=held_by)):
        yield


@contextmanager
def locking_the_generation() -> Iterator[None]:
    """The epoch is read without a lock, and moved by whoever comes."""

    def lock_for_publish(tx: Connection, generation_id: int) -> int:
        epoch = select(tables.generations.c.epoch).where(tables.generations.c.id == generation_id)
        return int(tx.execute(epoch).scalar_one())

    with patch.object(publisher, "generations", module_with(generations, lock_for_publish=lock_for_publish)):
        yield


@contextmanager
def taking_fresh_ids() -> Iterator[None]:
    """A chunk of a document has one id for ever, and its row is staged again under it."""
    make = stager._record

    def record(lease: Lease, addition: Any, access: Any) -> Record:
        made = make(lease, addition, access)
        again = str(uuid.uuid5(uuid.NAMESPACE_OID, addition.chunk.id))
        return Record(RecordId(again), *(getattr(made, name) for name in list(Record.__slots__)[1:]))

    def stage(tx: Connection, rows: Sequence[dict[str, Any]]) -> None:
        tx.execute(delete(tables.records).where(tables.records.c.id.in_([row["id"] for row in rows])))
        records.stage(tx, rows)

    with (
        patch.object(stager, "_record", record),
        patch.object(stager, "records", module_with(records, stage=stage)),
    ):
        yield


@contextmanager
def emptying_carried_access() -> Iterator[None]:
    """An attempt leaves what is known of the access fields as it is."""

    def claim_access(tx: Connection, generation_id: int, *, limit: int, lease_s: float) -> list[Lease]:
        leases = indexing.claim_access(tx, generation_id, limit=limit, lease_s=lease_s)
        for lease in leases:
            row = tables.indexing.c.document_id == lease.document_id
            tx.execute(tables.indexing.update().where(row).values(carried_access=lease.carried))
        return leases

    def nothing(tx: Connection, leases: Iterable[Lease]) -> None:
        pass

    with (
        patch.object(access_fields, "indexing", module_with(indexing, claim_access=claim_access)),
        patch.object(stager, "indexing", module_with(indexing, empty_carried=nothing)),
    ):
        yield


@contextmanager
def reading_access_after_the_lock() -> Iterator[None]:
    """The access in force is read when a publish is prepared."""
    publish = Publisher.publish

    def prepared(self: Publisher, staged: Sequence[StagedDocument]) -> Published:
        with self._database.read() as tx:
            before = policies.access_of(tx, [document.plan.document_id for document in staged])

        def access_of(tx: Connection, document_ids: Collection[int]) -> Any:
            return before

        with patch.object(publisher, "policies", module_with(policies, access_of=access_of)):
            return publish(self, staged)

    with patch.object(Publisher, "publish", prepared):
        yield


@contextmanager
def condemning_by_columns_of_the_row() -> Iterator[None]:
    """Vacuum also takes what dead attempts left, and chooses it in a subquery."""
    statement = text("""
        UPDATE records SET condemned_at = extract(epoch FROM statement_timestamp()) WHERE id IN (
          SELECT r.id FROM records r JOIN indexing i
            ON i.generation_id = r.generation_id AND i.document_id = r.document_id
          WHERE r.generation_id = :generation AND r.condemned_at IS NULL
            AND (r.to_epoch <= :horizon
              OR r.from_epoch IS NULL AND i.ready_at <= extract(epoch FROM statement_timestamp())))
    """)

    def condemn_closed(tx: Connection, generation_id: int, horizon: int, limit: int) -> int:
        return tx.execute(statement, {"generation": generation_id, "horizon": horizon}).rowcount

    with patch.object(vacuum, "records", module_with(records, condemn_closed=condemn_closed)):
        yield


@contextmanager
def deleting_once_more() -> Iterator[None]:
    """Rows go a day later without asking the stores again."""

    def forget(self: Vacuum) -> int:
        with self.database.write() as tx:
            ids = records.to_delete_again(tx, self.generation_id, self.settings.second_delete_s, self.settings.page)
            records.drop(tx, ids)
        return len(ids)

    with patch.object(Vacuum, "_delete_again", forget):
        yield
