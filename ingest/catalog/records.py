"""Records: staged, open, closed, condemned, gone; never reopened."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select, update

from ingest.catalog.database import AnyRow, db_now
from ingest.catalog.tables import records
from ingest.model.chunk import ChunkId
from ingest.model.record import RecordId

_PAGE = 500


@dataclass(frozen=True, slots=True)
class OpenRecord:
    """A visible record as the planner sees it."""

    id: RecordId
    chunk: ChunkId
    order_key: str
    lost: bool
    """An index lost it: its chunk needs a new record."""


def open_of(tx: Connection, generation_id: int, document_ids: Collection[int]) -> dict[int, list[OpenRecord]]:
    """Published, not closed records by document, in document order. Served by records_open."""
    here = (
        records.c.generation_id == generation_id,
        records.c.document_id.in_(list(document_ids)),
        records.c.from_epoch.is_not(None),
        records.c.to_epoch.is_(None),
    )
    columns = (records.c.id, records.c.document_id, records.c.chunk, records.c.order_key, records.c.lost)
    found: dict[int, list[OpenRecord]] = defaultdict(list)
    for row in tx.execute(select(*columns).where(*here).order_by(records.c.order_key, records.c.id)):
        found[row.document_id].append(OpenRecord(RecordId(row.id), ChunkId(row.chunk), row.order_key, row.lost))
    return found


def carrying(tx: Connection, generation_id: int, document_ids: Collection[int]) -> dict[int, list[RecordId]]:
    """Open and staged records by document: those whose access fields matter."""
    found: dict[int, list[RecordId]] = defaultdict(list)
    if not document_ids:
        return found
    here = (
        records.c.generation_id == generation_id,
        records.c.document_id.in_(list(document_ids)),
        records.c.to_epoch.is_(None),
        records.c.condemned_at.is_(None),
    )
    for row in tx.execute(select(records.c.id, records.c.document_id).where(*here).order_by(records.c.id)):
        found[row.document_id].append(RecordId(row.id))
    return found


def stage(tx: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Note fresh ids with all that readers need; not visible yet."""
    for page in _pages(rows):
        tx.execute(insert(records), page)


def condemn_staged(tx: Connection, generation_id: int, document_ids: Collection[int]) -> None:
    """Condemn what earlier attempts at these documents left staged. Their indexing rows are locked."""
    tx.execute(
        update(records)
        .where(
            records.c.generation_id == generation_id,
            records.c.document_id.in_(list(document_ids)),
            records.c.from_epoch.is_(None),
            records.c.condemned_at.is_(None),
        )
        .values(condemned_at=db_now())
    )


def lock_staged(tx: Connection, ids: Sequence[RecordId]) -> dict[int, int]:
    """How many of these records are still staged, by document; their rows locked.

    Counted under the lock and updated afterwards: one UPDATE that also counts opened two of three records of a
    document before its count could object.
    """
    counts: dict[int, int] = defaultdict(int)
    for page in _pages(sorted(ids)):
        statement = (
            select(records.c.document_id)
            .where(records.c.id.in_(page), records.c.from_epoch.is_(None), records.c.condemned_at.is_(None))
            .order_by(records.c.id)
            .with_for_update()
        )
        for document_id in tx.execute(statement).scalars():
            counts[document_id] += 1
    return dict(counts)


def open_all(tx: Connection, ids: Sequence[RecordId], epoch: int) -> None:
    """Make staged records visible from `epoch` on."""
    for page in _pages(sorted(ids)):
        staged = (records.c.id.in_(page), records.c.from_epoch.is_(None), records.c.condemned_at.is_(None))
        tx.execute(update(records).where(*staged).values(from_epoch=epoch))


_CLOSE = (
    update(records)
    .where(records.c.id == bindparam("b_id"), records.c.to_epoch.is_(None))
    .values(to_epoch=bindparam("b_epoch"), stale_since=bindparam("b_stale"))
)


def close_all(tx: Connection, closing: Iterable[tuple[RecordId, int]], epoch: int) -> None:
    """End records at `epoch`; each with the access clock since when its text counts as out of date."""
    rows = [{"b_id": record, "b_epoch": epoch, "b_stale": stale} for record, stale in sorted(closing)]
    if rows:
        tx.execute(_CLOSE, rows)


_REORDER = update(records).where(records.c.id == bindparam("b_id")).values(order_key=bindparam("b_key"))


def reorder(tx: Connection, keys: Iterable[tuple[RecordId, str]]) -> None:
    """Give records that moved within their document new order keys. Touches no index."""
    rows = [{"b_id": record, "b_key": key} for record, key in sorted(keys)]
    if rows:
        tx.execute(_REORDER, rows)


def condemn_closed(tx: Connection, generation_id: int, horizon: int, limit: int) -> int:
    """Condemn records that no reader at or after `horizon` may accept; returns how many. Served by records_closed.

    By columns of the row itself and never through a subquery: under read committed an UPDATE that waited for a row
    re-checks its own row only, while a subquery keeps its old snapshot, and condemned what had just been published.
    Test: test_vacuum_never_condemns_what_a_publish_opens
    """
    chosen = (
        select(records.c.id)
        .where(
            records.c.generation_id == generation_id,
            records.c.to_epoch <= horizon,
            records.c.condemned_at.is_(None),
        )
        .order_by(records.c.to_epoch)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    ids = list(tx.execute(chosen).scalars())
    still = (records.c.id.in_(ids), records.c.to_epoch <= horizon, records.c.condemned_at.is_(None))
    return tx.execute(update(records).where(*still).values(condemned_at=db_now())).rowcount if ids else 0


def to_delete(tx: Connection, generation_id: int, limit: int) -> list[RecordId]:
    """Condemned records that were not deleted from the stores yet. Served by records_condemned."""
    here = (
        records.c.generation_id == generation_id,
        records.c.condemned_at.is_not(None),
        records.c.deleted_once_at.is_(None),
    )
    statement = select(records.c.id).where(*here).order_by(records.c.condemned_at, records.c.id).limit(limit)
    return [RecordId(i) for i in tx.execute(statement).scalars()]


def to_delete_again(tx: Connection, generation_id: int, after_s: float, limit: int) -> list[RecordId]:
    """Records deleted `after_s` ago, whose second and last delete is due: it catches a late worker's write."""
    here = (records.c.generation_id == generation_id, records.c.deleted_once_at <= db_now() - after_s)
    statement = select(records.c.id).where(*here).order_by(records.c.deleted_once_at, records.c.id).limit(limit)
    return [RecordId(i) for i in tx.execute(statement).scalars()]


def deleted_once(tx: Connection, ids: Collection[RecordId]) -> None:
    """Note the first delete."""
    tx.execute(update(records).where(records.c.id.in_(list(ids))).values(deleted_once_at=db_now()))


def drop(tx: Connection, ids: Collection[RecordId]) -> None:
    """Forget condemned records."""
    tx.execute(delete(records).where(records.c.id.in_(list(ids)), records.c.condemned_at.is_not(None)))


def known(tx: Connection, ids: Collection[RecordId]) -> dict[RecordId, AnyRow]:
    """What the catalog says of ids that a store named: document, epochs, condemned."""
    columns = (records.c.id, records.c.document_id, records.c.from_epoch, records.c.to_epoch, records.c.condemned_at)
    return {RecordId(row.id): row for row in tx.execute(select(*columns).where(records.c.id.in_(list(ids))))}


def open_page(tx: Connection, generation_id: int, after: RecordId | None, limit: int) -> list[tuple[RecordId, int]]:
    """A page of (id, document) of open records, ascending by id: what both stores must hold."""
    here = [
        records.c.generation_id == generation_id,
        records.c.from_epoch.is_not(None),
        records.c.to_epoch.is_(None),
        records.c.lost.is_(False),
    ]
    if after is not None:
        here.append(records.c.id > after)
    statement = select(records.c.id, records.c.document_id).where(*here).order_by(records.c.id).limit(limit)
    return [(RecordId(row.id), row.document_id) for row in tx.execute(statement)]


def mark_lost(tx: Connection, ids: Collection[RecordId]) -> None:
    """Note that an index no longer holds these: the next plan gives their chunks new records."""
    tx.execute(update(records).where(records.c.id.in_(list(ids)), records.c.to_epoch.is_(None)).values(lost=True))


def counts(tx: Connection, generation_id: int) -> dict[str, int]:
    """How many records a generation has: open, staged, waiting for vacuum."""
    open_ = func.count().filter(records.c.from_epoch.is_not(None), records.c.to_epoch.is_(None))
    staged = func.count().filter(records.c.from_epoch.is_(None), records.c.condemned_at.is_(None))
    leaving = func.count().filter(or_(records.c.to_epoch.is_not(None), records.c.condemned_at.is_not(None)))
    row = tx.execute(select(open_, staged, leaving).where(records.c.generation_id == generation_id)).one()
    return {"open": row[0], "staged": row[1], "leaving": row[2]}


def of_document(tx: Connection, generation_id: int, document_id: int) -> list[AnyRow]:
    """The open records of one document with their texts, in order."""
    here = (
        records.c.generation_id == generation_id,
        records.c.document_id == document_id,
        records.c.from_epoch.is_not(None),
        records.c.to_epoch.is_(None),
    )
    return list(tx.execute(select(records).where(*here).order_by(records.c.order_key, records.c.id)))


def _pages(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), _PAGE):
        yield items[start : start + _PAGE]
