"""Who can read a document and why: the chain of policies, what follows from it, and whether one caller may."""

from dataclasses import dataclass

from ingest.catalog import documents, folders, policies, principals, sources
from ingest.catalog.database import Connection
from ingest.catalog.policies import Entries
from ingest.errors import TooManyGroups
from ingest.lockstep import Lockstep
from ingest.model.access import Access
from ingest.model.principal import PUBLIC, Principal
from ingest.operator import find


@dataclass(frozen=True, slots=True)
class Step:
    """One policy on the way from a document up to its root."""

    at: str
    policy: str
    allow: tuple[Principal, ...]
    deny: tuple[Principal, ...]
    problem: str | None


@dataclass(frozen=True, slots=True)
class Explained:
    """Who can read a document. `may_read` and `because` answer for the caller that was named, if one was."""

    document: str
    allow: tuple[Principal, ...]
    deny: tuple[Principal, ...]
    nobody_because: str | None
    steps: tuple[Step, ...]
    may_read: bool | None = None
    because: str | None = None


def explain(lockstep: Lockstep, named: str, caller: frozenset[Principal] | None) -> Explained:
    """Raises Refused for an unknown document, TooManyGroups."""
    with lockstep.database.read() as tx:
        document_id = find.document(tx, named)
        steps, nobody = _chain(tx, document_id)
        access = policies.access_of(tx, [document_id])[document_id]
        if nobody is None and not access.allow:
            nobody = "no policy on the way up allows anybody"
        may_read, because = None, None
        if caller is not None:
            limit = lockstep.settings.search.closure_limit
            everyone = principals.closure(tx, {*caller, PUBLIC}, limit)
            if len(everyone) > limit + len(caller) + 1:
                raise TooManyGroups(limit)
            may_read, because = _verdict(access, nobody, everyone)
        return Explained(
            document=documents.keys(tx, [document_id])[document_id],
            allow=tuple(sorted(access.allow)) if nobody is None else (),
            deny=tuple(sorted(access.deny)),
            nobody_because=nobody,
            steps=steps,
            may_read=may_read,
            because=because,
        )


def _chain(tx: Connection, document_id: int) -> tuple[tuple[Step, ...], str | None]:
    row = documents.get(tx, document_id)
    assert row is not None  # noqa: S101 -- it was found in this transaction
    chain = folders.chains(tx, [row.folder_id])[row.folder_id]
    own = policies.entries_of(tx, "d", [document_id]).get(document_id, Entries())
    stated = policies.entries_of(tx, "f", [link.id for link in chain.links])
    problems = folders.problems(tx, [link.id for link in chain.links])
    steps = [Step("the document itself", row.policy, *_names(own), row.closed)]
    for depth, link in enumerate(chain.links):
        key = folders.Chain(chain.links[depth:]).key
        entries = _names(stated.get(link.id, Entries()))
        steps.append(Step(f"folder {key}" if key else "the root", link.policy, *entries, problems.get(link.id)))
    source = sources.get(tx, row.source_id)
    nobody = next((f"{step.at}: {step.problem or 'unreadable'}" for step in steps if step.policy == "unreadable"), None)
    if source.state != "live":
        nobody = f"the source {source.name} is {source.state}"
    return tuple(steps), nobody


def _names(entries: Entries) -> tuple[tuple[Principal, ...], tuple[Principal, ...]]:
    return tuple(sorted(entries.allow)), tuple(sorted(entries.deny))


def _verdict(access: Access, nobody: str | None, caller: frozenset[Principal]) -> tuple[bool, str]:
    if nobody is not None:
        return False, nobody
    denied = sorted(access.deny & caller)
    if denied:
        return False, f"denied as {denied[0]}"
    allowed = sorted(access.allow & caller)
    if allowed:
        return True, f"allowed as {allowed[0]}"
    return False, "no entry of the nearest stated policy names the caller or a group of the caller"
