"""Documents: a row per (folder, name) while it lives, leased for looks."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Double, Update, and_, bindparam, case, delete, func, insert, select, update

from ingest.catalog.database import AnyRow, db_now, for_change, insert_new
from ingest.catalog.folders import chains
from ingest.catalog.tables import contents, documents, folders, records, sources, tombstones
from ingest.model.access import PolicyKind
from ingest.model.record import RecordId
from ingest.model.source import FileIdentity

_FIND = select(documents.c.id).where(
    documents.c.folder_id == bindparam("b_folder"),
    documents.c.name == bindparam("b_name"),
    documents.c.deleted_at.is_(None),
)


def find(tx: Connection, folder_id: int, name: str) -> int | None:
    """The live document of that name in a folder."""
    return tx.execute(_FIND, {"b_folder": folder_id, "b_name": name}).scalar_one_or_none()


_GET = select(documents).where(documents.c.id == bindparam("b_id"))


def get(tx: Connection, document_id: int) -> AnyRow | None:
    """One document's row."""
    return tx.execute(_GET, {"b_id": document_id}).one_or_none()


def versions(tx: Connection, document_ids: Collection[int]) -> dict[int, tuple[int, bool]]:
    """(content version, deleted) of documents."""
    columns = (documents.c.id, documents.c.content_version, documents.c.deleted_at)
    rows = tx.execute(select(*columns).where(documents.c.id.in_(list(document_ids))))
    return {row.id: (row.content_version, row.deleted_at is not None) for row in rows}


def ensure(tx: Connection, source_id: int, folder_id: int, name: str) -> tuple[int, bool]:
    """The live document of that name, and whether it was made just now: not seen yet, readable by nobody."""
    row = {"source_id": source_id, "folder_id": folder_id, "name": name, "policy": PolicyKind.UNREADABLE}
    while True:
        known = find(tx, folder_id, name)
        if known is not None:
            return known, False
        made = tx.execute(insert_new(tx, documents).values(row).returning(documents.c.id)).scalar_one_or_none()
        if made is not None:
            return int(made), True
        # somebody made it between our look and our insert; it is found now, unless it has ended again


_LOCK = for_change(
    select(documents.c.id).where(documents.c.id.in_(bindparam("b_ids", expanding=True))).order_by(documents.c.id)
)


def lock(tx: Connection, document_ids: Collection[int]) -> None:
    """Lock documents for change, in id order."""
    tx.execute(_LOCK, {"b_ids": list(document_ids)}).all()


_LOCK_LIVE = for_change(
    select(documents.c.id, documents.c.folder_id, documents.c.name)
    .where(documents.c.id.in_(bindparam("b_ids", expanding=True)), documents.c.deleted_at.is_(None))
    .order_by(documents.c.id)
)


def lock_at(tx: Connection, places: Mapping[tuple[int, str], int]) -> bool:
    """Lock the documents found at (folder, name). False when one of them has ended or moved since."""
    rows = tx.execute(_LOCK_LIVE, {"b_ids": list(places.values())})
    return {(row.folder_id, row.name): row.id for row in rows} == places


def make_due(tx: Connection, document_id: int) -> None:
    """Have a document looked at: what it inherits has changed. Its row is locked."""
    due = case((documents.c.look_leased, documents.c.look_ready_at), else_=db_now())
    tx.execute(update(documents).where(documents.c.id == document_id).values(look_ready_at=due))


def _hint() -> Update:
    since = func.coalesce(documents.c.look_since, db_now())
    rest = db_now() + bindparam("b_settle", type_=Double)
    latest = since + bindparam("b_settle_max", type_=Double)
    due = case((rest < latest, rest), else_=latest)
    return (
        update(documents)
        .where(documents.c.id == bindparam("b_id"))
        .values(
            look_ready_at=case((documents.c.look_leased, documents.c.look_ready_at), else_=due),
            look_since=since,
            look_held=None,
            look_attempts=case((documents.c.look_held.is_(None), documents.c.look_attempts), else_=0),
        )
    )


_HINT = _hint()


def hint(
    tx: Connection, document_id: int, *, settle_s: float, settle_max_s: float, identity: FileIdentity | None, new: bool
) -> None:
    """Make a document due for a look once it has come to rest, at most `settle_max_s` after the first hint.

    A look under way keeps its lease; what waits in the inbox makes the document due again when it ends.
    """
    values: dict[str, Any] = {"b_id": document_id, "b_settle": settle_s, "b_settle_max": settle_max_s}
    if new and identity is not None:
        # lets a look at the old key see that this file is the one that went from there
        values |= {"device": identity.device, "inode": identity.inode, "size": identity.size}
    tx.execute(_HINT, values)


_LOOK_DUE = for_change(
    select(documents.c.id, documents.c.look_leased)
    .where(documents.c.look_ready_at <= db_now(), documents.c.deleted_at.is_(None))
    .order_by(documents.c.look_ready_at)
    .limit(bindparam("b_limit")),
    skip_locked=True,
)
_LEASE_LOOK = (
    update(documents)
    .where(documents.c.id.in_(bindparam("b_ids", expanding=True)))
    .values(
        look_ready_at=db_now() + bindparam("b_lease", type_=Double),
        look_attempts=documents.c.look_attempts + case((documents.c.look_leased, 1), else_=0),
        look_leased=True,
        look_token=documents.c.look_token + 1,
    )
    .returning(documents.c.id, documents.c.look_token, documents.c.look_attempts)
)


def claim_looks(tx: Connection, limit: int, lease_s: float) -> list[AnyRow]:
    """Documents due for a look, leased for `lease_s`: id, look_token, look_attempts.

    A claim that finds the lease before it without a verdict counts an attempt. Locks; served by documents_look_due.
    """
    rows = tx.execute(_LOOK_DUE, {"b_limit": limit}).all()
    if not rows:
        return []
    # A look that died is tried again alone, or the documents that were claimed with a deadly one would be held with it.
    ids = [rows[0].id] if rows[0].look_leased else [row.id for row in rows if not row.look_leased]
    return sorted(tx.execute(_LEASE_LOOK, {"b_ids": ids, "b_lease": lease_s}).all())


_RELEASED: dict[str, Any] = {"look_leased": False, "look_attempts": 0}
_HELD_BY_TOKEN = update(documents).where(
    documents.c.id == bindparam("b_id"), documents.c.look_token == bindparam("b_token")
)
_RELEASE = _HELD_BY_TOKEN.values(_RELEASED | {"look_ready_at": None, "look_since": None})
_RELEASE_AND_LOOK_AGAIN = _HELD_BY_TOKEN.values(
    _RELEASED | {"look_ready_at": db_now() + bindparam("b_again", type_=Double)}
)


def release_look(
    tx: Connection, document_id: int, token: int, *, again_in_s: float | None, held: str | None = None
) -> None:
    """End a look with a verdict: not due any more, due again after a while, or held with a reason."""
    values = {"b_id": document_id, "b_token": token, "look_held": held}
    if again_in_s is None:
        tx.execute(_RELEASE, values)
    else:
        tx.execute(_RELEASE_AND_LOOK_AGAIN, values | {"b_again": again_in_s})


def remember_file(tx: Connection, document_id: int, token: int, file: FileIdentity) -> None:
    """What stands at a held document's place: a scan has it looked at again when that changes, and not before."""
    here = (documents.c.id == document_id, documents.c.look_token == token)
    values = {"device": file.device, "inode": file.inode, "size": file.size, "mtime_ns": file.mtime_ns}
    tx.execute(update(documents).where(*here).values(values))


def end_looks(tx: Connection) -> int:
    """The only process that can be looking has died: its leases end now, and the next claim counts an attempt."""
    held_now = (documents.c.look_leased, documents.c.look_ready_at > db_now())
    return tx.execute(update(documents).where(*held_now).values(look_ready_at=db_now())).rowcount


def retry_looks(tx: Connection, document_ids: Collection[int] | None) -> int:
    """Have held documents looked at again, some or all; returns how many."""
    here = and_(documents.c.look_held.is_not(None), documents.c.deleted_at.is_(None))
    if document_ids is not None:
        here = and_(here, documents.c.id.in_(list(document_ids)))
    values = {"look_held": None, "look_attempts": 0, "look_ready_at": db_now()}
    return tx.execute(update(documents).where(here).values(values)).rowcount


def next_look(tx: Connection) -> float | None:
    """Seconds until the next document is due for a look; None when none is."""
    here = (documents.c.look_ready_at.is_not(None), documents.c.deleted_at.is_(None))
    return tx.execute(select(func.min(documents.c.look_ready_at) - db_now()).where(*here)).scalar_one()


_CHANGED = (
    update(documents)
    .where(
        documents.c.id == bindparam("b_id"),
        documents.c.revision == bindparam("b_revision"),
        documents.c.look_token == bindparam("b_token"),
        documents.c.deleted_at.is_(None),
    )
    .values(revision=documents.c.revision + 1, looked_at=db_now())
)


def changed(tx: Connection, document_id: int, *, revision: int, token: int, **values: Any) -> bool:
    """Store what a look found if nothing touched the document since `revision`, and move the revision on."""
    unmoved = {"b_id": document_id, "b_revision": revision, "b_token": token}
    return tx.execute(_CHANGED, unmoved | values).rowcount == 1


def stamp(tx: Connection, document_id: int, clock: int) -> None:
    """Note that a widening of this document's access happened at `clock`."""
    tx.execute(update(documents).where(documents.c.id == document_id).values(opened_at=clock))


def end(tx: Connection, document_id: int) -> int:
    """Delete a document: hidden from the commit on, its content gone. Returns the new content version.

    The indexing rows are the caller's to set: the ordinary path then closes every record.
    """
    version = tx.execute(
        update(documents)
        .where(documents.c.id == document_id)
        .values(
            deleted_at=func.coalesce(documents.c.deleted_at, db_now()),
            content_version=documents.c.content_version + 1,
            revision=documents.c.revision + 1,
            look_ready_at=None,
            look_leased=False,
            look_since=None,
            look_held=None,
        )
        .returning(documents.c.content_version)
    ).scalar_one()
    tx.execute(delete(contents).where(contents.c.document_id == document_id))
    return int(version)


def raise_version(tx: Connection, document_id: int) -> int:
    """Count the content version up although nothing differs: what repair does. Returns the new one."""
    # The revision moves with it, so that a look that is under way begins again:
    #   1) a look reads a change, knowing version 1
    #   2) a repair makes the content as it was version 2, and version 2 is published
    #   3) the look stores the change as version 2: nothing is behind, and nobody ever indexes it
    # Test: test_a_repair_while_a_look_reads_loses_no_change
    values = {"content_version": documents.c.content_version + 1, "revision": documents.c.revision + 1}
    raised = update(documents).where(documents.c.id == document_id).values(values)
    return tx.execute(raised.returning(documents.c.content_version)).scalar_one()


_AS_FILE = (
    select(documents.c.id)
    .where(
        documents.c.source_id == bindparam("b_source"),
        documents.c.inode == bindparam("b_inode"),
        documents.c.device == bindparam("b_device"),
        documents.c.size == bindparam("b_size"),
        documents.c.deleted_at.is_(None),
        documents.c.id != bindparam("b_but"),
    )
    .order_by(documents.c.id)
)
_SEEN_AS = _AS_FILE.where(documents.c.content_version > 0)
_HINTED_AS = _AS_FILE.where(documents.c.content_version == 0)


def with_inode(tx: Connection, source_id: int, identity: FileIdentity, but: int, *, seen: bool) -> list[int]:
    """Live documents last seen (`seen`) or first hinted at (not `seen`) as this very file, other than `but`."""
    file = {"b_device": identity.device, "b_inode": identity.inode, "b_size": identity.size}
    statement = _SEEN_AS if seen else _HINTED_AS
    return list(tx.execute(statement, {"b_source": source_id, "b_but": but, **file}).scalars())


def rename(tx: Connection, document_id: int, *, source_id: int, old_key: str, folder_id: int, name: str) -> None:
    """Move a document's row to a new place and leave a tombstone at the old key."""
    # a move hides until the next look has read the policy of the new place
    hidden = {"policy": PolicyKind.UNREADABLE, "revision": documents.c.revision + 1, "look_leased": False}
    place = {"folder_id": folder_id, "name": name, "look_ready_at": db_now(), "look_token": documents.c.look_token + 1}
    tx.execute(update(documents).where(documents.c.id == document_id).values(place | hidden))
    stone = (tombstones.c.source_id == source_id, tombstones.c.old_key == old_key)
    tx.execute(delete(tombstones).where(*stone))
    tx.execute(insert(tombstones).values(source_id=source_id, old_key=old_key, document_id=document_id))


def drop_placeholder(tx: Connection, document_id: int) -> bool:
    """Remove a row that was hinted at and never looked at. False when it has been."""
    unseen = (documents.c.id == document_id, documents.c.content_version == 0, documents.c.deleted_at.is_(None))
    return tx.execute(delete(documents).where(*unseen)).rowcount == 1


def keys(tx: Connection, document_ids: Collection[int]) -> dict[int, str]:
    """The keys of documents: folder names and name joined by `/`."""
    found: dict[int, str] = {}
    rows = tx.execute(
        select(documents.c.id, documents.c.folder_id, documents.c.name).where(documents.c.id.in_(list(document_ids)))
    ).all()
    above = chains(tx, {row.folder_id for row in rows})
    for row in rows:
        folder = above[row.folder_id].key
        found[row.id] = f"{folder}/{row.name}" if folder else row.name
    return found


@dataclass(frozen=True, slots=True)
class Shown:
    """What a reader is shown of a document besides its text."""

    document_id: int
    key: str
    source: str
    title: str
    link: str


def shown_by_record(tx: Connection, record_ids: Collection[str]) -> dict[RecordId, Shown]:
    """Key, title and link of the documents that records belong to."""
    columns = (records.c.id, documents.c.id.label("document_id"), contents.c.title, contents.c.link)
    rows = tx.execute(
        select(*columns, sources.c.name.label("source"))
        .join(documents, documents.c.id == records.c.document_id)
        .join(sources, sources.c.id == documents.c.source_id)
        .outerjoin(contents, contents.c.document_id == documents.c.id)
        .where(records.c.id.in_(list(record_ids)))
    ).all()
    at = keys(tx, {row.document_id for row in rows})
    return {
        RecordId(row.id): Shown(row.document_id, at[row.document_id], row.source, row.title or "", row.link or "")
        for row in rows
    }


def in_folders(tx: Connection, folder_ids: Iterable[int], *, after: int = 0, limit: int = 500) -> list[AnyRow]:
    """A page of live documents of some folders, ascending by id. Served by documents_in_folder."""
    here = and_(documents.c.folder_id.in_(list(folder_ids)), documents.c.deleted_at.is_(None), documents.c.id > after)
    return list(tx.execute(select(documents).where(here).order_by(documents.c.id).limit(limit)))


def named(tx: Connection, folder_id: int, names: Collection[str]) -> list[AnyRow]:
    """Live documents of a folder by name, locked for change, in id order."""
    here = (documents.c.folder_id == folder_id, documents.c.name.in_(list(names)), documents.c.deleted_at.is_(None))
    return list(tx.execute(for_change(select(documents).where(*here).order_by(documents.c.id))))


def set_policy(tx: Connection, document_id: int, kind: PolicyKind) -> None:
    """Store what a folder now says of a document; a look under way has to begin again."""
    values = {"policy": kind, "revision": documents.c.revision + 1}
    tx.execute(update(documents).where(documents.c.id == document_id).values(values))


def make_due_below(tx: Connection, folder_ids: Collection[int]) -> int:
    """Have every live document of some folders looked at: metadata they inherit has changed."""
    here = (documents.c.folder_id.in_(list(folder_ids)), documents.c.deleted_at.is_(None))
    due = case((documents.c.look_leased, documents.c.look_ready_at), else_=db_now())
    return tx.execute(update(documents).where(*here).values(look_ready_at=due)).rowcount


def in_deleted_folders(tx: Connection, limit: int) -> list[int]:
    """Documents that still live in folders that ended (`folders.ended`): they follow in pages."""
    ended = select(folders.c.id).where(folders.c.look_ready_at.is_not(None), folders.c.deleted_at.is_not(None))
    statement = select(documents.c.id).where(documents.c.folder_id.in_(ended), documents.c.deleted_at.is_(None))
    return list(tx.execute(statement.order_by(documents.c.id).limit(limit)).scalars())


def of_source(tx: Connection, source_id: int) -> list[AnyRow]:
    """Every live document of a source: id, folder, name and what was last seen of its file. For scans."""
    columns = (
        documents.c.id,
        documents.c.folder_id,
        documents.c.name,
        documents.c.device,
        documents.c.inode,
        documents.c.size,
        documents.c.mtime_ns,
        documents.c.looked_at,
        documents.c.look_held,
        documents.c.look_ready_at,
    )
    return list(
        tx.execute(select(*columns).where(documents.c.source_id == source_id, documents.c.deleted_at.is_(None)))
    )
