"""Sources: where documents come from, and whether what the catalog knows of one may still be trusted."""

from sqlalchemy import Connection, func, insert, select, update

from ingest.catalog import access_clock
from ingest.catalog.database import AnyRow, db_now, for_change
from ingest.catalog.tables import documents, folders, sources


def named(tx: Connection, name: str) -> int | None:
    """The id of a source."""
    return tx.execute(select(sources.c.id).where(sources.c.name == name)).scalar_one_or_none()


def ensure(tx: Connection, name: str, kind: str, *, max_age_s: float | None) -> int:
    """The id of a source, made `unsynced` (nobody reads) when it is new."""
    known = named(tx, name)
    if known is not None:
        tx.execute(update(sources).where(sources.c.id == known).values(max_age_s=max_age_s))
        return known
    row = {"name": name, "kind": kind, "state": "unsynced", "max_age_s": max_age_s}
    return tx.execute(insert(sources).values(row).returning(sources.c.id)).scalar_one()


def every(tx: Connection) -> list[AnyRow]:
    """All sources, by name."""
    return list(tx.execute(select(sources).order_by(sources.c.name)))


def get(tx: Connection, source_id: int) -> AnyRow:
    """One source."""
    return tx.execute(select(sources).where(sources.c.id == source_id)).one()


def mark_synced(tx: Connection, source_id: int) -> None:
    """Note a complete scan. A source that was not readable before becomes so, which is a widening of its root."""
    row = tx.execute(for_change(select(sources).where(sources.c.id == source_id))).one()
    now = tx.execute(select(db_now())).scalar_one()
    stale = row.max_age_s is not None and (row.synced_at or 0.0) < now - row.max_age_s
    tx.execute(update(sources).where(sources.c.id == source_id).values(state="live", synced_at=now, problem=None))
    if row.state != "live" or stale:
        root = (folders.c.source_id == source_id, folders.c.parent_id.is_(None))
        tx.execute(for_change(select(folders.c.id).where(*root))).all()
        # the clock is the last lock of every widening
        tx.execute(update(folders).where(*root).values(opened_at=access_clock.advance(tx)))


def note_problem(tx: Connection, source_id: int, problem: str, held_drop: int = 0) -> None:
    """Why the last scan changed nothing, and how many documents it would have dropped."""
    tx.execute(update(sources).where(sources.c.id == source_id).values(problem=problem, held_drop=held_drop))


def approve_drop(tx: Connection, source_id: int) -> int:
    """Let the next scan drop as many documents as the last one held; returns that number."""
    held = tx.execute(select(sources.c.held_drop).where(sources.c.id == source_id)).scalar_one()
    tx.execute(update(sources).where(sources.c.id == source_id).values(approved_drop=held))
    return int(held)


def drop_done(tx: Connection, source_id: int) -> None:
    """Forget the problem, and held and approved drops, after a scan that went through."""
    values = {"held_drop": 0, "approved_drop": 0, "problem": None}
    tx.execute(update(sources).where(sources.c.id == source_id).values(values))


def unsync(tx: Connection) -> None:
    """After a restore of the catalog: nobody reads any source until it has been scanned."""
    tx.execute(update(sources).where(sources.c.state == "live").values(state="unsynced"))


def remove(tx: Connection, source_id: int) -> None:
    """Nobody reads anything of this source from the commit on."""
    tx.execute(update(sources).where(sources.c.id == source_id).values(state="removed"))


def live_documents(tx: Connection, source_id: int) -> int:
    """How many documents a source has that are not deleted."""
    statement = select(func.count()).where(documents.c.source_id == source_id, documents.c.deleted_at.is_(None))
    return tx.execute(statement).scalar_one()
