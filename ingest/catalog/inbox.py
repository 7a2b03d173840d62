"""The inbox: the durable table in which events wait until a look has covered them."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, exists, func, or_, select, update

from ingest.catalog.database import db_now, insert_new
from ingest.catalog.tables import documents, folders, inbox
from ingest.errors import Refused

_KNOWN = select(inbox.c.event_id, inbox.c.body_hash).where(
    inbox.c.source_id == bindparam("b_source"), inbox.c.event_id.in_(bindparam("b_events", expanding=True))
)


def add(
    tx: Connection,
    *,
    source_id: int,
    event_id: str,
    body: dict[str, Any],
    clock: int,
    document_id: int | None = None,
    folder_id: int | None = None,
) -> bool:
    """Note an event. False when this very event is there already; it is then applied, or waits.

    Raises Refused when the id is known with another body.
    """
    if known(tx, source_id, {event_id: body}):
        return False
    row = {
        "source_id": source_id,
        "event_id": event_id,
        "body_hash": _digest(body),
        "body": body,
        "document_id": document_id,
        "folder_id": folder_id,
        "clock": clock,
    }
    added = insert_new(tx, inbox).values(accepted_at=db_now()).returning(inbox.c.id)
    if tx.execute(added, row).scalar_one_or_none() is not None:
        return True
    # it came twice at one moment, and the other one has committed since
    return not known(tx, source_id, {event_id: body})


def known(tx: Connection, source_id: int, bodies: Mapping[str, dict[str, Any]]) -> set[str]:
    """Those of the event ids that are there already. Raises Refused when one is known with another body."""
    rows = tx.execute(_KNOWN, {"b_source": source_id, "b_events": list(bodies)})
    found = {row.event_id: row.body_hash for row in rows}
    for event_id, digest in found.items():
        if digest != _digest(bodies[event_id]):
            raise Refused(f"event {event_id} was sent before with another body: give a new event a new id")
    return found.keys() & bodies.keys()


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


_WAITING = (inbox.c.document_id == bindparam("b_document"), inbox.c.done_at.is_(None))
_LEASE = update(inbox).where(*_WAITING)
_COMPLETE = update(inbox).where(*_WAITING, inbox.c.leased_by == bindparam("b_token")).values(done_at=db_now())
_WAITS = select(exists().where(*_WAITING))


def lease(tx: Connection, document_id: int, token: int) -> None:
    """Mark the document's waiting events as covered by the look that holds `token`; later ones wait for the next."""
    tx.execute(_LEASE, {"b_document": document_id, "leased_by": token})


def lease_folder(tx: Connection, folder_id: int, token: int) -> None:
    """The same for a folder."""
    tx.execute(update(inbox).where(inbox.c.folder_id == folder_id, inbox.c.done_at.is_(None)).values(leased_by=token))


def complete(tx: Connection, document_id: int, token: int, *, version: int, outcome: str) -> None:
    """End the events that a look covered, with the content version it stored or confirmed."""
    tx.execute(_COMPLETE, {"b_document": document_id, "b_token": token, "version": version, "outcome": outcome})


def complete_folder(tx: Connection, folder_id: int, token: int, *, outcome: str) -> None:
    """The same for a folder."""
    tx.execute(
        update(inbox)
        .where(inbox.c.folder_id == folder_id, inbox.c.done_at.is_(None), inbox.c.leased_by == token)
        .values(done_at=db_now(), outcome=outcome)
    )


def end_folders(tx: Connection, folder_ids: Collection[int], *, outcome: str) -> None:
    """End every event of folders that have ended."""
    here = (inbox.c.folder_id.in_(list(folder_ids)), inbox.c.done_at.is_(None))
    tx.execute(update(inbox).where(*here).values(done_at=db_now(), outcome=outcome))


def news_below(tx: Connection, folder_ids: Sequence[int], since: float) -> bool:
    """Whether anything below the first of these folders was looked at, or told of, at `since` or later.

    By the database's clock: what happened before it, a reading of the source that began after `since` has seen.
    """
    inside = documents.c.folder_id.in_(list(folder_ids))
    inner = folders.c.id.in_([i for i in folder_ids if i != folder_ids[0]])
    told = or_(inbox.c.folder_id.in_(list(folder_ids)), inbox.c.document_id.in_(select(documents.c.id).where(inside)))
    news = or_(
        exists().where(inside, documents.c.looked_at >= since),
        exists().where(inner, folders.c.looked_at >= since),
        exists().where(told, inbox.c.done_at.is_(None), inbox.c.accepted_at >= since),
    )
    return bool(tx.execute(select(news)).scalar_one())


def end_all(tx: Connection, document_id: int, *, version: int, outcome: str) -> None:
    """End every event of a document that has ended."""
    tx.execute(
        update(inbox)
        .where(inbox.c.document_id == document_id, inbox.c.done_at.is_(None))
        .values(done_at=db_now(), version=version, outcome=outcome)
    )


def move(tx: Connection, from_document: int, to_document: int) -> None:
    """Events of a placeholder become those of the document that moved to its place."""
    tx.execute(update(inbox).where(inbox.c.document_id == from_document).values(document_id=to_document))


def move_folder(tx: Connection, from_folder: int, to_folder: int) -> None:
    """Events of an unseen folder become those of the folder that moved to its place."""
    here = (inbox.c.folder_id == from_folder, inbox.c.done_at.is_(None))
    tx.execute(update(inbox).where(*here).values(folder_id=to_folder))


def waits(tx: Connection, document_id: int) -> bool:
    """Whether an event of the document waits for a look. Served by inbox_waiting_document."""
    return bool(tx.execute(_WAITS, {"b_document": document_id}).scalar_one())


def waits_beyond(tx: Connection, document_id: int, token: int) -> bool:
    """Whether an event of the document waits that the look which holds `token` does not cover."""
    later = or_(inbox.c.leased_by.is_(None), inbox.c.leased_by != token)
    here = exists().where(inbox.c.document_id == document_id, inbox.c.done_at.is_(None), later)
    return bool(tx.execute(select(here)).scalar_one())


def folder_waits(tx: Connection, folder_id: int) -> bool:
    """Whether an event of the folder waits for a look."""
    here = exists().where(inbox.c.folder_id == folder_id, inbox.c.done_at.is_(None))
    return bool(tx.execute(select(here)).scalar_one())


_OLDEST_UNCOVERED = select(func.min(inbox.c.clock)).where(
    inbox.c.document_id == bindparam("b_document"),
    or_(inbox.c.done_at.is_(None), inbox.c.version > bindparam("b_published")),
)


def oldest_uncovered(tx: Connection, document_id: int, published: int) -> int | None:
    """The access clock of the oldest event that version `published` does not cover, if any.

    Ask after locking the indexing row, in a statement of its own (DESIGN §3.4).
    """
    return tx.execute(_OLDEST_UNCOVERED, {"b_document": document_id, "b_published": published}).scalar_one()


def oldest_waiting(tx: Connection) -> float | None:
    """When the oldest event that still waits was accepted."""
    return tx.execute(select(func.min(inbox.c.accepted_at)).where(inbox.c.done_at.is_(None))).scalar_one()
