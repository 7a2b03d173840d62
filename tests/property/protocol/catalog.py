"""The catalog's raw rows as the model reads them, past all code of ours, and who may read what by them."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ingest.model.principal import Principal
from ingest.model.source import Membership

Entries = dict[tuple[str, int], dict[str, frozenset[str]]]


@dataclass(frozen=True, slots=True)
class FolderRow:
    """A folder."""

    parent: int | None
    name: str
    policy: str
    dead: bool
    rules: str


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document."""

    folder: int
    name: str
    policy: str
    dead: bool
    hidden: bool
    version: int
    revision: int
    looked_at: float | None
    closed: str | None


@dataclass(frozen=True, slots=True)
class IndexingRow:
    """A document in the one generation."""

    wanted: int
    published: int
    behind: int | None
    carried: str | None
    access_due: bool
    token: int
    held: str | None


@dataclass(frozen=True)
class Catalog:
    """All rows of one moment that the model needs."""

    epoch: int
    horizon: int
    live: bool
    folders: dict[int, FolderRow]
    documents: dict[int, DocumentRow]
    entries: Entries
    edges: frozenset[Membership]
    indexing: dict[int, IndexingRow]
    work: int

    @cached_property
    def access(self) -> tuple[object, ...]:
        """Everything that decides who may read what: equal, and nobody's access changed."""
        placed = {i: (d.folder, d.policy, d.dead, d.hidden) for i, d in self.documents.items()}
        folders = {i: (f.parent, f.policy, f.dead) for i, f in self.folders.items()}
        return (self.live, folders, placed, self.entries, self.edges)

    def chain(self, document: int) -> list[int]:
        """A document's folders, nearest first; a cycle ends after 64 steps."""
        found: list[int] = []
        at: int | None = self.documents[document].folder
        while at is not None and len(found) <= 64:
            found.append(at)
            at = self.folders[at].parent
        return found

    def key(self, document: int) -> str:
        """Where a document stands."""
        names = [self.folders[i].name for i in reversed(self.chain(document)[:-1])]
        return "/".join([*names, self.documents[document].name])

    def admits(self, document: int, caller: frozenset[Principal]) -> bool:
        """Whether the access in force lets this caller, groups included, read a document."""
        row = self.documents.get(document)
        if row is None or row.dead or row.hidden or row.policy == "unreadable" or not self.live:
            return False
        chain = self.chain(document)
        if len(chain) > 64 or any(self.folders[i].dead or self.folders[i].policy == "unreadable" for i in chain):
            return False
        steps = [("d", document, row.policy), *(("f", i, self.folders[i].policy) for i in chain)]
        if any(self.entries.get((kind, i), {}).get("d", frozenset()) & caller for kind, i, _ in steps):
            return False
        stated = [
            self.entries.get((kind, i), {}).get("a", frozenset()) for kind, i, policy in steps if policy == "stated"
        ]
        return bool(stated and stated[0] & caller)

    def rule_of(self, document: int) -> tuple[str, frozenset[str], frozenset[str]]:
        """(policy, allow, deny) that the document's folder states for it."""
        row = self.documents[document]
        rule = json.loads(self.folders[row.folder].rules).get(row.name)
        if rule is None:
            return "inherit", frozenset(), frozenset()
        return rule["policy"], frozenset(rule["allow"]), frozenset(rule["deny"])


def read(db: sqlite3.Connection) -> Catalog:
    """The rows of now."""

    def rows(sql: str) -> list[Any]:
        return db.execute(sql).fetchall()

    def keyed(sql: str, make: Callable[..., Any]) -> dict[int, Any]:
        return {row[0]: make(*row[1:]) for row in rows(sql)}

    ((epoch, horizon),) = rows("SELECT epoch, horizon FROM generations")
    entries: defaultdict[tuple[str, int], dict[str, frozenset[str]]] = defaultdict(dict)
    for kind, i, effect, name in rows(
        "SELECT e.kind, e.object_id, e.effect, p.name FROM policy_entries e JOIN principals p ON p.id = e.principal_id"
    ):
        entries[kind, i][effect] = entries[kind, i].get(effect, frozenset()) | {name}
    return Catalog(
        epoch=epoch,
        horizon=horizon,
        live=rows("SELECT state FROM sources")[0][0] == "live",
        folders=keyed(
            "SELECT id, parent_id, name, policy, deleted_at NOT NULL, document_rules FROM folders", FolderRow
        ),
        documents=keyed(
            "SELECT id, folder_id, name, policy, deleted_at NOT NULL, hidden, content_version, revision, looked_at, "
            "closed FROM documents",
            DocumentRow,
        ),
        entries=dict(entries),
        edges=frozenset(
            Membership(*row)
            for row in rows(
                "SELECT a.name, b.name FROM memberships m JOIN principals a ON a.id = m.member_id "
                "JOIN principals b ON b.id = m.group_id"
            )
        ),
        indexing=keyed(
            "SELECT document_id, wanted_version, published_version, behind_at, carried_access, access_due, lease_token, "
            "held FROM indexing",
            IndexingRow,
        ),
        work=rows("SELECT count(*) FROM access_work")[0][0],
    )
