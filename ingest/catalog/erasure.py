"""Erasing: what is left of a document anywhere in the catalog, blanked at once and dropped once both stores let go."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, delete, select, update

from ingest.catalog import documents as live
from ingest.catalog import indexing as rows
from ingest.catalog.database import db_now, for_change
from ingest.catalog.folders import chains
from ingest.catalog.tables import contents, documents, inbox, indexing, records
from ingest.model.chunk import InputHash
from ingest.model.record import RecordId


@dataclass(frozen=True, slots=True)
class Traces:
    """Everything that was ever indexed of some documents and is still known. `staged`: records that a worker may be
    writing at this moment."""

    records: tuple[RecordId, ...]
    staged: tuple[RecordId, ...]
    inputs: frozenset[InputHash]


def at_key(tx: Connection, source_id: int, key: str) -> list[int]:
    """The documents that stand at a key, or stood there when they ended, oldest first."""
    folder, _, name = key.rpartition("/")
    here = (documents.c.source_id == source_id, documents.c.name == name)
    found = tx.execute(select(documents.c.id, documents.c.folder_id).where(*here).order_by(documents.c.id)).all()
    at = chains(tx, {row.folder_id for row in found})
    return [row.id for row in found if at[row.folder_id].key == folder]


def blank(tx: Connection, document_ids: Collection[int]) -> Traces:
    """Take every word of documents out of the catalog, end their leases and condemn their records.

    The documents have ended before, in this transaction or earlier. Locks: documents, indexing rows, records.
    """
    ids = list(document_ids)
    live.lock(tx, ids)
    # A worker may hold one of them. Its token is moved here, under the row lock, so it can neither stage nor publish:
    #   1) a worker has noted fresh ids and is writing them into the stores
    #   2) erase deletes those ids from both stores
    #   3) the write of 1) arrives after 2), insert-only, and the words are in a store again
    # Nobody ever accepts such a record; `staged` are kept as blank rows so that the second delete catches it.
    busy = {row.document_id for row in rows.lock(tx, ids) if row.leased}
    tx.execute(
        update(indexing)
        .where(indexing.c.document_id.in_(ids))
        .values(
            published_version=indexing.c.wanted_version,
            behind_at=None,
            access_due=False,
            held=None,
            leased=False,
            lease_token=indexing.c.lease_token + 1,
            ready_at=db_now(),
        )
    )
    tx.execute(delete(contents).where(contents.c.document_id.in_(ids)))
    tx.execute(delete(inbox).where(inbox.c.document_id.in_(ids)))
    return _blank_records(tx, ids, busy)


def _blank_records(tx: Connection, ids: list[int], busy: set[int]) -> Traces:
    columns = (records.c.id, records.c.document_id, records.c.input_hash, records.c.from_epoch)
    mine = records.c.document_id.in_(ids)
    found = tx.execute(for_change(select(*columns).where(mine).order_by(records.c.id))).all()
    tx.execute(update(records).where(mine).values(body="", heading=[], codes=[], metadata=[]))
    tx.execute(update(records).where(mine, records.c.condemned_at.is_(None)).values(condemned_at=db_now()))
    return Traces(
        records=tuple(RecordId(row.id) for row in found),
        staged=tuple(RecordId(row.id) for row in found if row.from_epoch is None and row.document_id in busy),
        inputs=frozenset(InputHash(row.input_hash) for row in found if row.input_hash),
    )


def drop_records(tx: Connection, traces: Traces) -> None:
    """Both stores have deleted these records: drop their rows, but for `staged`, which are deleted once more later."""
    dropped = sorted(set(traces.records) - set(traces.staged))
    for ids in _pages(dropped):
        tx.execute(delete(records).where(records.c.id.in_(ids), records.c.condemned_at.is_not(None)))
    for ids in _pages(traces.staged):
        # a blank row uses no input
        tx.execute(update(records).where(records.c.id.in_(ids)).values(deleted_once_at=db_now(), input_hash=""))


def _pages(ids: Collection[RecordId], size: int = 500) -> list[list[RecordId]]:
    ordered = list(ids)
    return [ordered[start : start + size] for start in range(0, len(ordered), size)]
