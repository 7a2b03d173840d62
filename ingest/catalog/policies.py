"""Policies of folders and documents, and the access fields that follow from a document's whole chain."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Select, bindparam, delete, insert, select

from ingest.catalog import principals as people
from ingest.catalog.database import AnyRow
from ingest.catalog.folders import Chain, chains
from ingest.catalog.tables import documents, folders, policy_entries, principals
from ingest.model.access import NOBODY, UNREADABLE, Access, Policy, PolicyKind
from ingest.model.principal import Principal

Kind = Literal["f", "d"]
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Entries:
    """The principals one policy names."""

    allow: frozenset[Principal] = frozenset()
    deny: frozenset[Principal] = frozenset()


_POLICY: Mapping[Kind, Select[Any]] = {
    "f": select(folders.c.policy).where(folders.c.id == bindparam("b_id")),
    "d": select(documents.c.policy).where(documents.c.id == bindparam("b_id")),
}


def policy_of(tx: Connection, kind: Kind, object_id: int) -> Policy:
    """The stored policy of one folder ('f') or document ('d'); UNREADABLE for a placeholder that was dropped."""
    said = tx.execute(_POLICY[kind], {"b_id": object_id}).scalar_one_or_none()
    if said is None:
        return UNREADABLE
    entries = entries_of(tx, kind, [object_id]).get(object_id, Entries())
    return Policy(PolicyKind(said), entries.allow, entries.deny)


_ENTRIES = (
    select(policy_entries.c.object_id, policy_entries.c.effect, principals.c.name)
    .join(principals, principals.c.id == policy_entries.c.principal_id)
    .where(
        policy_entries.c.kind == bindparam("b_kind"),
        policy_entries.c.object_id.in_(bindparam("b_ids", expanding=True)),
    )
)


def entries_of(tx: Connection, kind: Kind, object_ids: Collection[int]) -> dict[int, Entries]:
    """The entries of several objects; objects without any are left out."""
    allow: dict[int, set[Principal]] = defaultdict(set)
    deny: dict[int, set[Principal]] = defaultdict(set)
    for page in _pages(sorted(object_ids)):
        for object_id, effect, name in tx.execute(_ENTRIES, {"b_kind": kind, "b_ids": page}):
            (allow if effect == "a" else deny)[object_id].add(Principal(name))
    return {i: Entries(frozenset(allow[i]), frozenset(deny[i])) for i in allow.keys() | deny.keys()}


def write_entries(tx: Connection, kind: Kind, object_id: int, policy: Policy) -> None:
    """Replace the entries of one object, whose own row the caller has locked."""
    ids = people.ids(tx, policy.allow | policy.deny)
    here = (policy_entries.c.kind == kind, policy_entries.c.object_id == object_id)
    tx.execute(delete(policy_entries).where(*here))
    rows: list[dict[str, Any]] = [
        {"kind": kind, "object_id": object_id, "effect": effect, "principal_id": ids[name]}
        for effect, names in (("a", policy.allow), ("d", policy.deny))
        for name in sorted(names)
    ]
    if rows:
        tx.execute(insert(policy_entries), rows)


def carried(chain: Chain, own: Policy, stated: Mapping[int, Entries]) -> Access:
    """The access fields for a document: allow from the nearest stated policy, denies from the whole chain.

    Unreadable anywhere, a deleted folder, or a chain that reaches no root is nobody (DESIGN §6).
    """
    if own.kind is PolicyKind.UNREADABLE or not chain.sound:
        return NOBODY
    deny = set(own.deny)
    allow = own.allow if own.kind is PolicyKind.STATED else None
    for link in chain.links:
        entries = stated.get(link.id, Entries())
        deny |= entries.deny
        if allow is None and link.policy == PolicyKind.STATED:
            allow = entries.allow
    return Access(allow or frozenset(), frozenset(deny)) if allow else NOBODY


_READABLE = select(documents.c.id, documents.c.folder_id, documents.c.policy).where(
    documents.c.id.in_(bindparam("b_ids", expanding=True)),
    documents.c.deleted_at.is_(None),
    documents.c.hidden.is_(False),
)


def access_of(tx: Connection, document_ids: Collection[int]) -> dict[int, Access]:
    """The access fields in force for documents, as of now; deleted, hidden and unknown ones are nobody's."""
    wanted: dict[int, Access] = dict.fromkeys(document_ids, NOBODY)
    rows: list[AnyRow] = []
    for page in _pages(sorted(document_ids)):
        rows += tx.execute(_READABLE, {"b_ids": page}).all()
    above = chains(tx, {row.folder_id for row in rows})
    stated = entries_of(tx, "f", {link.id for chain in above.values() for link in chain.links})
    own = entries_of(tx, "d", [row.id for row in rows])
    for row in rows:
        mine = own.get(row.id, Entries())
        policy = Policy(PolicyKind(row.policy), mine.allow, mine.deny)
        wanted[row.id] = carried(above[row.folder_id], policy, stated)
    return wanted


def _pages(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), _PAGE):
        yield ids[start : start + _PAGE]
