"""Work left by access changes: folders whose documents' access fields have to follow."""

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select, update

from ingest.catalog import folders, generations
from ingest.catalog.tables import access_work, documents, indexing


@dataclass(frozen=True, slots=True)
class Work:
    """One folder of one generation, with how far its documents have been paged through."""

    id: int
    generation_id: int
    folder_id: int
    expanded: bool
    after_document: int


def leave(tx: Connection, folder_id: int) -> None:
    """An access change of a folder: one row per maintained generation, in the transaction of the change."""
    for generation in generations.maintained(tx):
        tx.execute(insert(access_work).values(generation_id=generation.id, folder_id=folder_id))


_OLDEST = (
    select(access_work)
    .where(access_work.c.generation_id == bindparam("b_generation"))
    .order_by(access_work.c.id)
    .limit(1)
    .with_for_update(skip_locked=True)
)


def next_work(tx: Connection, generation_id: int) -> Work | None:
    """The oldest work of a generation, its row locked."""
    row = tx.execute(_OLDEST, {"b_generation": generation_id}).one_or_none()
    return Work(row.id, row.generation_id, row.folder_id, row.expanded, row.after_document) if row else None


def expand(tx: Connection, work: Work) -> None:
    """Replace a row by one for each folder of its subtree, once per change."""
    rows = [
        {"generation_id": work.generation_id, "folder_id": folder_id, "expanded": True}
        for folder_id in folders.subtree(tx, work.folder_id)
    ]
    tx.execute(delete(access_work).where(access_work.c.id == work.id))
    if rows:
        tx.execute(insert(access_work), rows)


def page(tx: Connection, work: Work, limit: int) -> list[tuple[int, str | None]]:
    """(document, carried access) of a page of the folder's documents, published or in flight."""
    statement = (
        select(documents.c.id, indexing.c.carried_access)
        .join(indexing, indexing.c.document_id == documents.c.id)
        .where(
            indexing.c.generation_id == work.generation_id,
            documents.c.folder_id == work.folder_id,
            documents.c.deleted_at.is_(None),
            documents.c.id > work.after_document,
            # a document that was never published and is not in flight has no record: staging reads the access of then
            or_(indexing.c.published_version > 0, indexing.c.leased),
        )
        .order_by(documents.c.id)
        .limit(limit)
    )
    return [(row.id, row.carried_access) for row in tx.execute(statement)]


def proceed(tx: Connection, work: Work, after_document: int) -> None:
    """Remember how far a folder has been paged through."""
    tx.execute(update(access_work).where(access_work.c.id == work.id).values(after_document=after_document))


def finish(tx: Connection, work: Work) -> None:
    """The folder is done."""
    tx.execute(delete(access_work).where(access_work.c.id == work.id))


def left(tx: Connection, generation_id: int) -> int:
    """How many folders wait."""
    return tx.execute(select(func.count()).where(access_work.c.generation_id == generation_id)).scalar_one()
