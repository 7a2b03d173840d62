"""What `lockstep status` counts and lists."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, not_, or_, select

from ingest.catalog.database import AnyRow
from ingest.catalog.tables import documents, embeddings, inbox, indexing, records
from ingest.model.access import PolicyKind


@dataclass(frozen=True, slots=True)
class Counts:
    """Plain counts of live things."""

    documents: int
    empty: int
    """Indexed, with nothing to find: no text."""
    embeddings: int
    waiting_events: int


def counts(tx: Connection, generation_id: int) -> Counts:
    """Documents, embeddings and events."""
    empty = select(func.count()).select_from(documents).where(_empty(generation_id))
    return Counts(
        documents=_count(tx, select(func.count()).where(_LIVE)),
        empty=_count(tx, empty),
        embeddings=_count(tx, select(func.count()).select_from(embeddings)),
        waiting_events=_count(tx, select(func.count()).select_from(inbox).where(inbox.c.done_at.is_(None))),
    )


def oldest_change(tx: Connection, generation_id: int) -> float | None:
    """When the oldest change was accepted that readers do not see yet, held documents left out.

    It waits for a look, or its document is behind: served by indexing_due and inbox_of_document.
    """
    waits = select(func.min(inbox.c.accepted_at)).where(inbox.c.done_at.is_(None))
    behind = (
        select(func.min(inbox.c.accepted_at))
        .join(indexing, indexing.c.document_id == inbox.c.document_id)
        .where(
            indexing.c.generation_id == generation_id,
            indexing.c.published_version < indexing.c.wanted_version,
            indexing.c.held.is_(None),
            inbox.c.version > indexing.c.published_version,
        )
    )
    found = [tx.execute(statement).scalar_one() for statement in (waits, behind)]
    return min((at for at in found if at is not None), default=None)


def look_holds(tx: Connection) -> list[tuple[int, str]]:
    """Documents that could not be read, with the reason."""
    held = (documents.c.look_held.is_not(None), documents.c.deleted_at.is_(None))
    rows = tx.execute(select(documents.c.id, documents.c.look_held).where(*held).order_by(documents.c.id))
    return [(row.id, row.look_held) for row in rows]


def empty_documents(tx: Connection, generation_id: int, limit: int) -> list[int]:
    """Documents that are indexed and have no chunk."""
    return list(tx.execute(select(documents.c.id).where(_empty(generation_id)).limit(limit)).scalars())


def plain_documents(tx: Connection) -> list[tuple[int, int, int]]:
    """(source, folder, how many) of live documents of which no more is said than of their folder."""
    here = (documents.c.source_id, documents.c.folder_id)
    statement = select(*here, func.count()).where(_LIVE, not_(_SPECIAL)).group_by(*here)
    return [(source, folder, count) for source, folder, count in tx.execute(statement)]


def special_documents(tx: Connection, *, after: int, limit: int) -> list[AnyRow]:
    """A page of live documents with a policy of their own, closed, or not looked at yet, ascending by id."""
    statement = select(documents).where(_LIVE, _SPECIAL, documents.c.id > after)
    return list(tx.execute(statement.order_by(documents.c.id).limit(limit)))


_LIVE = documents.c.deleted_at.is_(None)
_SPECIAL = or_(documents.c.policy != PolicyKind.INHERIT, documents.c.closed.is_not(None), documents.c.hidden)


def _empty(generation_id: int) -> ColumnElement[bool]:
    open_record = exists().where(
        records.c.document_id == documents.c.id,
        records.c.generation_id == generation_id,
        records.c.from_epoch.is_not(None),
        records.c.to_epoch.is_(None),
    )
    published = exists().where(
        indexing.c.document_id == documents.c.id,
        indexing.c.generation_id == generation_id,
        indexing.c.published_version > 0,
        indexing.c.published_version == indexing.c.wanted_version,
    )
    return and_(_LIVE, published, ~open_record)


def _count(tx: Connection, statement: Select[int]) -> int:
    return tx.execute(statement).scalar_one()
