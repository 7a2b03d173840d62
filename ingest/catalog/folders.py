"""Folders: rows (parent, name), so that a move changes one row, and the bounded walk up to a root."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Select, bindparam, case, func, literal, select, update

from ingest.catalog.database import AnyRow, db_now, for_change, insert_new
from ingest.catalog.tables import folders
from ingest.model.access import PolicyKind

MAX_DEPTH = 64
"""A chain that does not reach a root within so many steps means nobody."""


@dataclass(frozen=True, slots=True)
class Link:
    """One folder of a chain."""

    id: int
    parent_id: int | None
    name: str
    policy: str
    revision: int
    looked_at: float | None
    deleted: bool
    metadata: dict[str, str] = field(default_factory=dict)
    document_rules: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chain:
    """A folder and those above it, nearest first."""

    links: tuple[Link, ...]

    @property
    def sound(self) -> bool:
        """Whether it reaches a root, with no folder deleted or unreadable on the way."""
        rooted = bool(self.links) and self.links[-1].parent_id is None
        return rooted and not any(link.deleted or link.policy == PolicyKind.UNREADABLE for link in self.links)

    @property
    def alive(self) -> bool:
        """Whether it reaches a root with no folder deleted."""
        rooted = bool(self.links) and self.links[-1].parent_id is None
        return rooted and not any(link.deleted for link in self.links)

    @property
    def key(self) -> str:
        """Folder names joined by `/`; '' for the root."""
        return "/".join(link.name for link in reversed(self.links[:-1]))

    @property
    def metadata(self) -> dict[str, str]:
        """What the folders say of everything below them; the nearer wins."""
        merged: dict[str, str] = {}
        for link in reversed(self.links):
            merged |= link.metadata
        return merged


def _walk_up() -> Select[Any]:
    up = (
        select(folders.c.id.label("leaf"), literal(0).label("depth"), folders.c.id.label("id"), folders.c.parent_id)
        .where(folders.c.id.in_(bindparam("b_ids", expanding=True)))
        .cte("up", recursive=True)
    )
    above = folders.alias("above")
    up = up.union_all(
        select(up.c.leaf, up.c.depth + 1, above.c.id, above.c.parent_id)
        .join(above, above.c.id == up.c.parent_id)
        .where(up.c.depth < MAX_DEPTH)
    )
    return select(up.c.leaf, up.c.depth, folders).join(folders, folders.c.id == up.c.id).order_by(up.c.leaf, up.c.depth)


_WALK_UP = _walk_up()


def chains(tx: Connection, folder_ids: Collection[int]) -> dict[int, Chain]:
    """The chains of several folders in one statement, each cut after MAX_DEPTH steps."""
    if not folder_ids:
        return {}
    links: dict[int, list[Link]] = {folder_id: [] for folder_id in folder_ids}
    for row in tx.execute(_WALK_UP, {"b_ids": list(folder_ids)}):
        links[row.leaf].append(_link(row))
    return {leaf: Chain(tuple(chain)) for leaf, chain in links.items()}


def _link(row: AnyRow) -> Link:
    return Link(
        id=row.id,
        parent_id=row.parent_id,
        name=row.name,
        policy=row.policy,
        revision=row.revision,
        looked_at=row.looked_at,
        deleted=row.deleted_at is not None,
        metadata=row.metadata,
        document_rules=row.document_rules,
    )


def find(tx: Connection, source_id: int, key: str) -> int | None:
    """The live folder at a key."""
    return find_all(tx, source_id, [key]).get(key)


def find_all(tx: Connection, source_id: int, keys: Iterable[str]) -> dict[str, int]:
    """The live folders at several keys; those that are not there are left out."""
    root = tx.execute(
        select(folders.c.id).where(folders.c.source_id == source_id, folders.c.parent_id.is_(None))
    ).scalar_one_or_none()
    found: dict[str, int] = {} if root is None else {"": root}
    wanted = {key for key in keys for key in _prefixes(key)}
    for key in sorted(wanted, key=lambda key: key.count("/")):
        parent, _, name = key.rpartition("/")
        if key in found or parent not in found:
            continue
        child = tx.execute(
            select(folders.c.id).where(
                folders.c.parent_id == found[parent], folders.c.name == name, folders.c.deleted_at.is_(None)
            )
        ).scalar_one_or_none()
        if child is not None:
            found[key] = child
    return found


def ensure(tx: Connection, source_id: int, keys: Iterable[str], *, born: PolicyKind) -> dict[str, int]:
    """The folders at several keys, made where they are missing: with policy `born`, and due for a look."""
    # in one order, or two that make the same folders would wait for each other
    wanted = sorted({p for key in keys for p in ["", *_prefixes(key)]}, key=lambda key: (key.count("/"), key))
    found = find_all(tx, source_id, wanted)
    for key in wanted:
        if key not in found:
            parent, _, name = key.rpartition("/")
            found[key] = _make(tx, source_id, found[parent] if key else None, name, born)
    return found


def _make(tx: Connection, source_id: int, parent_id: int | None, name: str, born: PolicyKind) -> int:
    row = {"source_id": source_id, "parent_id": parent_id, "name": name, "policy": born, "look_ready_at": db_now()}
    same_parent = folders.c.parent_id.is_(None) if parent_id is None else folders.c.parent_id == parent_id
    here = (folders.c.source_id == source_id, same_parent, folders.c.name == name, folders.c.deleted_at.is_(None))
    while True:
        made = tx.execute(insert_new(tx, folders).values(row).returning(folders.c.id)).scalar_one_or_none()
        if made is not None:
            return int(made)
        # somebody made it between our look and our insert, and has committed since; it may have ended again
        known = tx.execute(select(folders.c.id).where(*here)).scalar_one_or_none()
        if known is not None:
            return int(known)


def _prefixes(key: str) -> list[str]:
    parts = key.split("/") if key else []
    return ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]


_LOCK_SHARED = (
    select(folders.c.id, folders.c.revision)
    .where(folders.c.id.in_(bindparam("b_ids", expanding=True)))
    .order_by(folders.c.id)
    .with_for_update(read=True)
)


def lock_shared(tx: Connection, folder_ids: Collection[int]) -> dict[int, int]:
    """Revisions of folders, locked against change until the commit, in id order."""
    return {row.id: row.revision for row in tx.execute(_LOCK_SHARED, {"b_ids": list(folder_ids)})}


_LIVE = (
    select(folders.c.id, folders.c.parent_id, folders.c.name)
    .where(folders.c.id.in_(bindparam("b_ids", expanding=True)), folders.c.deleted_at.is_(None))
    .order_by(folders.c.id)
)
_LOCK_LIVE = {True: for_change(_LIVE), False: _LIVE.with_for_update(read=True)}


def lock_at(tx: Connection, at: Mapping[str, int], *, change: bool) -> bool:
    """Lock folders found at keys, all prefixes among them, against ending and moving; for change, if so wanted.

    False when one of them has ended or moved since it was found.
    """
    rows = tx.execute(_LOCK_LIVE[change], {"b_ids": list(at.values())})
    found = {row.id: (row.parent_id, row.name) for row in rows}
    places = {i: (at[key.rpartition("/")[0]] if key else None, key.rpartition("/")[2]) for key, i in at.items()}
    return found == places


def lock(tx: Connection, folder_ids: Collection[int]) -> None:
    """Lock folders for change, in id order."""
    tx.execute(for_change(select(folders.c.id).where(folders.c.id.in_(list(folder_ids))).order_by(folders.c.id))).all()


def hint(tx: Connection, folder_id: int, settle_s: float) -> None:
    """Make a folder due for a look and refuse any look at it that is under way."""
    due = db_now() + settle_s
    tx.execute(
        update(folders)
        .where(folders.c.id == folder_id)
        .values(
            revision=folders.c.revision + 1,
            look_ready_at=case((folders.c.look_leased, folders.c.look_ready_at), else_=due),
        )
    )


_LOOK_DUE = for_change(
    select(folders.c.id)
    .where(folders.c.look_ready_at <= db_now(), folders.c.deleted_at.is_(None))
    .order_by(folders.c.look_ready_at)
    .limit(bindparam("b_limit")),
    skip_locked=True,
)


def claim_looks(tx: Connection, limit: int, lease_s: float) -> list[tuple[int, int]]:
    """(id, token) of folders due for a look, leased for `lease_s`. Locks their rows; served by folders_look_due."""
    ids = list(tx.execute(_LOOK_DUE, {"b_limit": limit}).scalars())
    statement = (
        update(folders)
        .where(folders.c.id.in_(ids))
        .values(look_ready_at=db_now() + lease_s, look_leased=True, look_token=folders.c.look_token + 1)
        .returning(folders.c.id, folders.c.look_token)
    )
    return sorted((row.id, row.look_token) for row in tx.execute(statement)) if ids else []


def release_look(tx: Connection, folder_id: int, token: int, *, again_in_s: float | None) -> None:
    """End a look: not due any more, or due again after `again_in_s`."""
    tx.execute(
        update(folders)
        .where(folders.c.id == folder_id, folders.c.look_token == token)
        .values(look_ready_at=None if again_in_s is None else db_now() + again_in_s, look_leased=False)
    )


def end_looks(tx: Connection) -> int:
    """The only process that can be looking has died: its leases end now."""
    held_now = (folders.c.look_leased, folders.c.look_ready_at > db_now())
    return tx.execute(update(folders).where(*held_now).values(look_ready_at=db_now())).rowcount


def subtree(tx: Connection, folder_id: int) -> list[int]:
    """A live folder and every live folder below it."""
    down = select(folders.c.id, literal(0).label("depth")).where(folders.c.id == folder_id).cte("down", recursive=True)
    below = folders.alias("below")
    down = down.union_all(
        select(below.c.id, down.c.depth + 1)
        .join(down, below.c.parent_id == down.c.id)
        .where(below.c.deleted_at.is_(None), down.c.depth < MAX_DEPTH)
    )
    return sorted(set(tx.execute(select(down.c.id)).scalars()))


def with_inode(tx: Connection, source_id: int, device: int, inode: int, but: int, *, seen: bool) -> int | None:
    """The only live folder last seen (`seen`) or first hinted at (not `seen`) as this inode, other than `but`."""
    here = (
        folders.c.source_id == source_id,
        folders.c.inode == inode,
        folders.c.device == device,
        folders.c.deleted_at.is_(None),
        folders.c.id != but,
        folders.c.looked_at.is_not(None) if seen else folders.c.looked_at.is_(None),
    )
    found = list(tx.execute(select(folders.c.id).where(*here)).scalars())
    return found[0] if len(found) == 1 else None


def next_look(tx: Connection) -> float | None:
    """Seconds until the next folder is due for a look; None when none is."""
    here = (folders.c.look_ready_at.is_not(None), folders.c.deleted_at.is_(None))
    return tx.execute(select(func.min(folders.c.look_ready_at) - db_now()).where(*here)).scalar_one()


def changed(tx: Connection, folder_id: int, revision: int, **values: Any) -> bool:
    """Store what a look found, if the folder is still at `revision`, and move the revision on. False: look again."""
    statement = (
        update(folders)
        .where(folders.c.id == folder_id, folders.c.revision == revision)
        .values(revision=folders.c.revision + 1, **values)
    )
    return tx.execute(statement).rowcount == 1


def waiting(tx: Connection, source_id: int) -> bool:
    """Whether what is known of any folder of a source may still change by a look that is due now or later.

    A folder that is unreadable is left out: nobody reads below it, however long its look has to wait.
    """
    due = (folders.c.source_id == source_id, folders.c.look_ready_at.is_not(None), folders.c.deleted_at.is_(None))
    trusted = folders.c.policy != PolicyKind.UNREADABLE
    return tx.execute(select(folders.c.id).where(*due, trusted).limit(1)).first() is not None


NOW = db_now()
"""For `changed(looked_at=NOW)`."""


def get(tx: Connection, folder_id: int) -> AnyRow:
    """One folder's row."""
    return tx.execute(select(folders).where(folders.c.id == folder_id)).one()


def get_all(tx: Connection, folder_ids: Collection[int]) -> list[AnyRow]:
    """Several folders' rows, locked for change, in id order."""
    statement = select(folders).where(folders.c.id.in_(list(folder_ids))).order_by(folders.c.id)
    return list(tx.execute(for_change(statement)))


def of_source(tx: Connection, source_id: int) -> list[AnyRow]:
    """Every live folder of a source."""
    return list(tx.execute(select(folders).where(folders.c.source_id == source_id, folders.c.deleted_at.is_(None))))


def problems(tx: Connection, folder_ids: Collection[int]) -> dict[int, str]:
    """Why access files of folders cannot be used; folders without a problem are left out."""
    here = (folders.c.id.in_(list(folder_ids)), folders.c.problem.is_not(None))
    return {row.id: row.problem for row in tx.execute(select(folders.c.id, folders.c.problem).where(*here))}


def stamp(tx: Connection, folder_id: int, clock: int) -> None:
    """Note that a widening of what is below this folder happened at `clock`."""
    tx.execute(update(folders).where(folders.c.id == folder_id).values(opened_at=clock))


def lock_root(tx: Connection, source_id: int) -> None:
    """Serialise moves of folders within a source."""
    root = (folders.c.source_id == source_id, folders.c.parent_id.is_(None))
    tx.execute(for_change(select(folders.c.id).where(*root))).all()


def delete(tx: Connection, folder_id: int) -> list[int]:
    """End a folder and every folder below it: nobody reads anything there from the commit on. Returns which.

    Its documents follow in pages (`documents.in_deleted_folders`).
    """
    below = subtree(tx, folder_id)
    # due, and leased by nobody, until their documents have followed
    values = {"deleted_at": db_now(), "look_ready_at": db_now(), "look_leased": False}
    ended = update(folders).where(folders.c.id.in_(below))
    tx.execute(ended.values(values | {"look_token": folders.c.look_token + 1}))
    return below


_ENDED = for_change(
    select(folders.c.id)
    .where(folders.c.look_ready_at.is_not(None), folders.c.deleted_at.is_not(None))
    .order_by(folders.c.id)
)


def ended(tx: Connection) -> list[int]:
    """Folders that ended and whose documents still have to follow, locked. Served by folders_look_due."""
    return list(tx.execute(_ENDED).scalars())


def followed(tx: Connection, folder_ids: Collection[int]) -> None:
    """The documents of these folders have ended too."""
    tx.execute(update(folders).where(folders.c.id.in_(list(folder_ids))).values(look_ready_at=None))


def replace(tx: Connection, folder_id: int, *, placeholder: int) -> None:
    """Give a folder the place of an unseen one, which ends; nobody reads below it until it has been looked at."""
    place = tx.execute(select(folders.c.parent_id, folders.c.name).where(folders.c.id == placeholder)).one()
    delete(tx, placeholder)
    values = {
        "parent_id": place.parent_id,
        "name": place.name,
        "policy": PolicyKind.UNREADABLE,
        "revision": folders.c.revision + 1,
        "look_ready_at": db_now(),
        "look_leased": False,
        "look_token": folders.c.look_token + 1,
    }
    tx.execute(update(folders).where(folders.c.id == folder_id).values(values))


def remember_inode(tx: Connection, folder_id: int, device: int, inode: int) -> None:
    """What a hint saw at a folder that was not looked at yet; lets a look at the old place recognise a move."""
    unseen = (folders.c.id == folder_id, folders.c.looked_at.is_(None))
    tx.execute(update(folders).where(*unseen).values(device=device, inode=inode))
