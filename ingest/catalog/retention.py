"""Retention: what is forgotten after a while. Tombstones of keys and memberships are never purged."""

from sqlalchemy import Connection, delete, exists, select

from ingest.catalog.database import db_now
from ingest.catalog.tables import contents, documents, inbox, indexing, policy_entries, records


def drop_inbox(tx: Connection, older_than_s: float, limit: int = 1_000) -> int:
    """Forget events that were done long ago and whose version every generation has published."""
    unpublished = exists().where(
        indexing.c.document_id == inbox.c.document_id, indexing.c.published_version < inbox.c.version
    )
    old = select(inbox.c.id).where(inbox.c.done_at < db_now() - older_than_s, ~unpublished).limit(limit)
    ids = list(tx.execute(old).scalars())
    tx.execute(delete(inbox).where(inbox.c.id.in_(ids)))
    return len(ids)


def drop_documents(tx: Connection, older_than_s: float, limit: int = 500) -> int:
    """Forget documents deleted long ago whose last record is gone; their key's tombstone stays."""
    has_records = exists().where(records.c.document_id == documents.c.id)
    waits = exists().where(inbox.c.document_id == documents.c.id, inbox.c.done_at.is_(None))
    old = (
        select(documents.c.id)
        .where(documents.c.deleted_at < db_now() - older_than_s, ~has_records, ~waits)
        .order_by(documents.c.id)
        .limit(limit)
    )
    ids = list(tx.execute(old).scalars())
    forget_documents(tx, ids)
    return len(ids)


def forget_documents(tx: Connection, ids: list[int]) -> None:
    """Remove rows of documents that have no records any more."""
    tx.execute(delete(indexing).where(indexing.c.document_id.in_(ids)))
    tx.execute(delete(contents).where(contents.c.document_id.in_(ids)))
    tx.execute(delete(inbox).where(inbox.c.document_id.in_(ids)))
    tx.execute(delete(policy_entries).where(policy_entries.c.kind == "d", policy_entries.c.object_id.in_(ids)))
    tx.execute(delete(documents).where(documents.c.id.in_(ids)))
