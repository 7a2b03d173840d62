"""What `lockstep status` counts."""

from dataclasses import dataclass

from sqlalchemy import Connection, Select, exists, func, select

from ingest.catalog.database import db_now
from ingest.catalog.tables import (
    contents,
    documents,
    embeddings,
    folders,
    inbox,
    indexing,
    policy_entries,
    records,
    sources,
)


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
    live = documents.c.deleted_at.is_(None)
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
    return Counts(
        documents=_count(tx, select(func.count()).where(live)),
        empty=_count(tx, select(func.count()).select_from(documents).where(live, published, ~open_record)),
        embeddings=_count(tx, select(func.count()).select_from(embeddings)),
        waiting_events=_count(tx, select(func.count()).select_from(inbox).where(inbox.c.done_at.is_(None))),
    )


def now(tx: Connection) -> float:
    """The database's clock."""
    return tx.execute(select(db_now())).scalar_one()


def look_holds(tx: Connection) -> list[tuple[int, str]]:
    """Documents that could not be read, with the reason."""
    held = (documents.c.look_held.is_not(None), documents.c.deleted_at.is_(None))
    rows = tx.execute(select(documents.c.id, documents.c.look_held).where(*held).order_by(documents.c.id))
    return [(row.id, row.look_held) for row in rows]


def live_documents(tx: Connection) -> list[int]:
    """Every live document."""
    return list(tx.execute(select(documents.c.id).where(documents.c.deleted_at.is_(None))).scalars())


def closed_documents(tx: Connection) -> dict[int, str]:
    """Documents that say of themselves why nobody may read them."""
    closed = (documents.c.closed.is_not(None), documents.c.deleted_at.is_(None))
    return dict(tx.execute(select(documents.c.id, documents.c.closed).where(*closed)).tuples().all())


def folder_problems(tx: Connection) -> dict[int, str]:
    """Folders whose access file cannot be used, with the reason."""
    broken = (folders.c.problem.is_not(None), folders.c.deleted_at.is_(None))
    return dict(tx.execute(select(folders.c.id, folders.c.problem).where(*broken)).tuples().all())


def source_states(tx: Connection) -> dict[int, str]:
    """The state of each source by id."""
    return dict(tx.execute(select(sources.c.id, sources.c.state)).tuples().all())


def words_of(tx: Connection, document_id: int) -> tuple[list[str], list[str]]:
    """(record ids, embedding input hashes) of everything ever indexed of a document and still known."""
    rows = tx.execute(select(records.c.id, records.c.input_hash).where(records.c.document_id == document_id)).all()
    return [row.id for row in rows], sorted({row.input_hash for row in rows})


def forget_records(tx: Connection, document_id: int) -> None:
    """Drop every record row of a document, whatever its state: what erasing asks for."""
    tx.execute(records.delete().where(records.c.document_id == document_id))


def stated_anywhere(tx: Connection, folder_ids: list[int], document_id: int) -> bool:
    """Whether any policy of the chain or the document names anybody in an allow."""
    folder = exists().where(
        policy_entries.c.kind == "f", policy_entries.c.effect == "a", policy_entries.c.object_id.in_(folder_ids)
    )
    own = exists().where(
        policy_entries.c.kind == "d", policy_entries.c.effect == "a", policy_entries.c.object_id == document_id
    )
    return bool(tx.execute(select(folder | own)).scalar_one())


def has_content(tx: Connection, document_id: int) -> bool:
    """Whether a document's text is known."""
    return bool(tx.execute(select(exists().where(contents.c.document_id == document_id))).scalar_one())


def _count(tx: Connection, statement: Select[int]) -> int:
    return tx.execute(statement).scalar_one()
