"""Who can read a document and why: the chain of policies, what follows from it, and whether one caller may."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ingest.catalog import documents, folders, policies, principals, sources
from ingest.catalog.database import AnyRow, Connection
from ingest.catalog.database import now as database_now
from ingest.catalog.folders import Chain
from ingest.catalog.policies import Entries
from ingest.errors import TooManyGroups
from ingest.lockstep import Lockstep
from ingest.model.access import PolicyKind
from ingest.model.principal import PUBLIC, Principal
from ingest.operator import find, nobody
from ingest.operator.nobody import Above


@dataclass(frozen=True, slots=True)
class Step:
    """One policy on the way from a document up to its root."""

    at: str
    policy: str
    allow: tuple[Principal, ...]
    deny: tuple[Principal, ...]
    problem: str | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether one caller may read, because of which entry, and by which membership that entry reaches the caller."""

    may_read: bool
    because: str
    path: tuple[Principal, ...] = ()
    """From a principal of the caller, group by group, to the principal that the entry names."""


@dataclass(frozen=True, slots=True)
class Explained:
    """Who can read a document; `nobody_because` says why nobody can. Allow counts from the nearest stated policy,
    deny from all."""

    document: str
    source: str
    allow: tuple[Principal, ...]
    deny: tuple[Principal, ...]
    nobody_because: str | None
    steps: tuple[Step, ...]
    caller: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """What is in force for a document: each entry with where it stands."""

    allow: Mapping[Principal, str]
    deny: Mapping[Principal, str]


def explain(lockstep: Lockstep, named: str, caller: frozenset[Principal] | None) -> Explained:
    """Raises Refused for an unknown document, TooManyGroups."""
    with lockstep.database.read() as tx:
        document_id = find.document(tx, named)
        row = documents.get(tx, document_id)
        if row is None:
            raise find.unknown(named)
        key = documents.keys(tx, [document_id])[document_id]
        chain = folders.chains(tx, [row.folder_id])[row.folder_id]
        source = sources.get(tx, row.source_id)
        own = policies.entries_of(tx, "d", [document_id]).get(document_id, Entries())
        stated = policies.entries_of(tx, "f", [link.id for link in chain.links])
        problems = folders.problems(tx, [link.id for link in chain.links])
        above = nobody.read_chain(chain, stated, problems)
        cause = nobody.by_source(source, database_now(tx)) or nobody.by_document(row, key, own, above)
        closed = f"{cause.where}: {cause.reason}" if cause else None
        rules = _rules(row, own, chain, stated, above)
        verdict = None
        if caller is not None:
            reached = _reached(tx, {*caller, PUBLIC}, lockstep.settings.search.closure_limit)
            verdict = Verdict(False, closed) if closed else _verdict(rules, reached)
        return Explained(
            document=key,
            source=source.name,
            allow=() if closed else tuple(sorted(rules.allow)),
            deny=tuple(sorted(rules.deny)),
            nobody_because=closed,
            steps=_steps(row, own, chain, stated, problems),
            caller=verdict,
        )


def _steps(
    row: AnyRow, own: Entries, chain: Chain, stated: Mapping[int, Entries], problems: Mapping[int, str]
) -> tuple[Step, ...]:
    steps = [Step("the document itself", row.policy, *_names(own), row.closed)]
    for depth, link in enumerate(chain.links):
        at = nobody.folder_name(Chain(chain.links[depth:]))
        problem = problems.get(link.id) or (nobody.NOT_LOOKED_AT if link.looked_at is None else None)
        steps.append(Step(at, link.policy, *_names(stated.get(link.id, Entries())), problem))
    return tuple(steps)


def _names(entries: Entries) -> tuple[tuple[Principal, ...], tuple[Principal, ...]]:
    return tuple(sorted(entries.allow)), tuple(sorted(entries.deny))


def _rules(row: AnyRow, own: Entries, chain: Chain, stated: Mapping[int, Entries], above: Above) -> Rules:
    by_itself = row.policy == PolicyKind.STATED
    allow = own.allow if by_itself else above.allow or frozenset()
    deny: dict[Principal, str] = {}
    for depth in reversed(range(len(chain.links))):
        at = nobody.folder_name(Chain(chain.links[depth:]))
        deny |= dict.fromkeys(stated.get(chain.links[depth].id, Entries()).deny, at)
    deny |= dict.fromkeys(own.deny, "the document itself")
    return Rules(dict.fromkeys(allow, "the document itself" if by_itself else above.stated_at), deny)


def _reached(tx: Connection, caller: Collection[Principal], limit: int) -> dict[Principal, tuple[Principal, ...]]:
    """The caller's principals and groups, each with a shortest path of memberships to it."""
    paths: dict[Principal, tuple[Principal, ...]] = {one: (one,) for one in sorted(caller)}
    newest = list(paths)
    while newest:
        edges = [edge for edge in principals.groups_of(tx, newest) if edge.group not in paths]
        found: dict[Principal, tuple[Principal, ...]] = {}
        for edge in edges:
            found.setdefault(edge.group, (*paths[edge.member], edge.group))
        paths |= found
        newest = list(found)
        if len(paths) > limit + len(caller):
            raise TooManyGroups(limit)
    return paths


def _verdict(rules: Rules, reached: Mapping[Principal, tuple[Principal, ...]]) -> Verdict:
    """Deny beats allow, wherever the two stand."""
    for may_read, entries, word in ((False, rules.deny, "denies"), (True, rules.allow, "allows")):
        hits = sorted(entries.keys() & reached.keys(), key=lambda one: (len(reached[one]), one))
        if hits:
            return Verdict(may_read, f"{entries[hits[0]]} {word} {hits[0]}", reached[hits[0]])
    return Verdict(False, "the nearest stated policy names neither the caller nor a group of the caller")
