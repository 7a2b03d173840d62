"""Why nobody can read a document: the first reason on the way from its source down to the document itself."""

from collections.abc import Mapping
from dataclasses import dataclass

from ingest.catalog.database import AnyRow
from ingest.catalog.folders import Chain
from ingest.catalog.policies import Entries
from ingest.model.access import PolicyKind
from ingest.model.principal import Principal

_ROOT = "the root folder"
NOT_LOOKED_AT = "not looked at yet"
NOTHING_STATED = "nothing is stated: neither an access file above it nor the settings allow anybody"


@dataclass(frozen=True, slots=True)
class Cause:
    """What closes a document, and where that stands: a source, a folder, or the document."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Above:
    """What the folders above a document say: `closed` if nobody reads below, else who is allowed and denied."""

    closed: Cause | None
    allow: frozenset[Principal] | None
    """Of the nearest stated policy; None when none is stated."""
    deny: frozenset[Principal]
    stated_at: str = ""


def by_source(row: AnyRow, now: float) -> Cause | None:
    """Whether a source closes all its documents."""
    where = f"source {row.name}"
    if row.state == "removed":
        return Cause(where, "the source was removed")
    if row.state != "live":
        return Cause(where, "the source has not been scanned completely yet: see `lockstep run`")
    if row.max_age_s is not None and (row.synced_at is None or row.synced_at < now - row.max_age_s):
        return Cause(where, f"its last complete scan is older than max_age_s ({row.max_age_s:.0f} s)")
    return None


def read_chain(chain: Chain, stated: Mapping[int, Entries], problems: Mapping[int, str]) -> Above:
    """What a chain of folders says, nearest first."""
    if not chain.alive:
        ended = any(link.deleted for link in chain.links)
        return Above(
            Cause(folder_name(chain), "its folder ended" if ended else "no root in 64 steps"), None, frozenset()
        )
    allow: frozenset[Principal] | None = None
    deny: set[Principal] = set()
    stated_at = ""
    for depth, link in enumerate(chain.links):
        here = folder_name(Chain(chain.links[depth:]))
        if link.policy == PolicyKind.UNREADABLE:
            reason = problems.get(link.id) or (NOT_LOOKED_AT if link.looked_at is None else "its access is not known")
            return Above(Cause(here, reason), None, frozenset())
        entries = stated.get(link.id, Entries())
        deny |= entries.deny
        if allow is None and link.policy == PolicyKind.STATED:
            allow, stated_at = entries.allow, here
    return Above(None, allow, frozenset(deny), stated_at)


def by_document(row: AnyRow, key: str, own: Entries, above: Above) -> Cause | None:
    """Why nobody can read a live document whose source is readable; None when somebody can."""
    where = f"document {key}"
    if row.closed:
        return Cause(where, row.closed)
    if row.hidden or row.policy == PolicyKind.UNREADABLE:
        return Cause(where, NOT_LOOKED_AT if row.looked_at is None else "it moved and is to be looked at again")
    if above.closed is not None:
        return above.closed
    stated = row.policy == PolicyKind.STATED
    allow = own.allow if stated else above.allow
    return _by_entries(allow, above.deny | own.deny, where if stated else above.stated_at)


def by_folder(above: Above) -> Cause | None:
    """The same for all documents of a folder of which nothing else is said."""
    return above.closed or _by_entries(above.allow, above.deny, above.stated_at)


def _by_entries(allow: frozenset[Principal] | None, deny: frozenset[Principal], where: str) -> Cause | None:
    if allow is None:
        return Cause(_ROOT, NOTHING_STATED)
    if not allow:
        return Cause(where, "its allow is empty: nobody")
    if allow <= deny:
        return Cause(where, "everybody whom it allows is denied")
    return None


def folder_name(chain: Chain) -> str:
    """A folder as people read it."""
    return f"folder {chain.key}" if chain.key else _ROOT
