"""Principals and membership edges."""

from collections.abc import Collection, Iterable, Mapping

from sqlalchemy import Connection, delete, func, select, tuple_

from ingest.catalog import access_clock
from ingest.catalog.database import insert_new
from ingest.catalog.tables import membership_tombstones, memberships, principals
from ingest.model.principal import Principal
from ingest.model.source import Membership

Edge = tuple[int, int]


def ids(tx: Connection, names: Collection[Principal]) -> dict[Principal, int]:
    """The ids of principals, making rows for those not yet known."""
    if not names:
        return {}
    known = known_ids(tx, names)
    missing = sorted(set(names) - known.keys())
    if missing:
        tx.execute(insert_new(tx, principals), [{"name": name} for name in missing])
        known = known_ids(tx, names)
    return known


def known_ids(tx: Connection, names: Collection[Principal]) -> dict[Principal, int]:
    """The ids of those of the principals that some policy or membership has named."""
    rows = tx.execute(select(principals.c.name, principals.c.id).where(principals.c.name.in_(list(names))))
    return {Principal(row.name): row.id for row in rows}


def closure(tx: Connection, caller: Collection[Principal], limit: int) -> frozenset[Principal]:
    """The caller and every group it belongs to, nested and cyclic ones included; `limit + 1` names at most.

    For the prefilter only: the deciding statement expands the closure again.
    """
    me = select(principals.c.id).where(principals.c.name.in_(list(caller))).cte("me", recursive=True)
    me = me.union(select(memberships.c.group_id).join(me, memberships.c.member_id == me.c.id))
    ids_of = select(me.c.id).limit(limit + 1).subquery()
    names = tx.execute(select(principals.c.name).join(ids_of, principals.c.id == ids_of.c.id)).scalars()
    return frozenset(caller) | frozenset(Principal(name) for name in names)


def groups_of(tx: Connection, members_: Collection[Principal]) -> list[Membership]:
    """The edges from principals to the groups they belong to directly."""
    member, group = principals.alias("member"), principals.alias("grp")
    rows = tx.execute(
        select(member.c.name, group.c.name)
        .select_from(memberships)
        .join(member, member.c.id == memberships.c.member_id)
        .join(group, group.c.id == memberships.c.group_id)
        .where(member.c.name.in_(list(members_)))
        .order_by(member.c.name, group.c.name)
    )
    return [Membership(Principal(a), Principal(b)) for a, b in rows]


def edges(tx: Connection, directory: str) -> set[Membership]:
    """Every live edge between principals of one directory."""
    member, group = principals.alias("member"), principals.alias("grp")
    rows = tx.execute(
        select(member.c.name, group.c.name)
        .select_from(memberships)
        .join(member, member.c.id == memberships.c.member_id)
        .join(group, group.c.id == memberships.c.group_id)
        .where(group.c.name.startswith(f"{directory}:", autoescape=True))
    )
    return {Membership(Principal(a), Principal(b)) for a, b in rows}


def remove_edges(tx: Connection, removed: Iterable[Membership]) -> int:
    """Remove edges: in force at the commit. Every removal stamps, since a deny could have reached through the edge.

    Locks the access clock. Returns how many edges there were.
    """
    keys = _keys(tx, removed)
    if not keys:
        return 0
    now = access_clock.advance(tx)
    on = tuple_(memberships.c.member_id, memberships.c.group_id)
    found = [(r.member_id, r.group_id) for r in tx.execute(select(memberships).where(on.in_(keys)))]
    tx.execute(delete(memberships).where(on.in_(keys)))
    stones = tuple_(membership_tombstones.c.member_id, membership_tombstones.c.group_id)
    tx.execute(delete(membership_tombstones).where(stones.in_(keys)))
    rows = [{"member_id": member, "group_id": group, "removed_at": now} for member, group in found]
    if rows:
        tx.execute(insert_new(tx, membership_tombstones), rows)
    return len(found)


def add_edges(tx: Connection, added: Iterable[Membership]) -> int:
    """Add edges, each stamped with the moved access clock. Locks the clock. Returns how many were given."""
    keys = _keys(tx, added)
    if not keys:
        return 0
    now = access_clock.advance(tx)
    rows = [{"member_id": member, "group_id": group, "granted_at": now} for member, group in keys]
    tx.execute(insert_new(tx, memberships), rows)
    return len(keys)


def members(tx: Connection) -> Mapping[Principal, int]:
    """How many direct members every group has."""
    rows = tx.execute(
        select(principals.c.name, func.count())
        .join(memberships, memberships.c.group_id == principals.c.id)
        .group_by(principals.c.name)
    )
    return {Principal(name): count for name, count in rows}


def _keys(tx: Connection, edges_: Iterable[Membership]) -> list[Edge]:
    wanted = sorted({(edge.member, edge.group) for edge in edges_})
    known = ids(tx, {name for pair in wanted for name in pair})
    return [(known[member], known[group]) for member, group in wanted]
