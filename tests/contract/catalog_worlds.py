"""Random small worlds of folders, documents and groups, and what they mean, said naively in Python."""

from dataclasses import dataclass
from random import Random
from typing import Any

from sqlalchemy import Connection, Table, insert, update

from ingest.catalog.database import db_now
from ingest.catalog.tables import (
    documents,
    folders,
    generations,
    indexing,
    membership_tombstones,
    memberships,
    policy_entries,
    principals,
    records,
    sources,
)
from ingest.model.access import NOBODY, Access
from ingest.model.principal import PUBLIC, Principal
from ingest.model.record import RecordId
from tests.contract.catalog_rows import numbered

PEOPLE = (PUBLIC, *(Principal(f"local:user:{n}") for n in range(2)), *(Principal(f"local:group:{n}") for n in range(4)))
"""Their places here are their ids."""

_ALL = range(len(PEOPLE))
_STAMPS = [0] * 16 + [4, 5, 6]
_POLICIES = ["stated"] * 8 + ["inherit"] * 8 + ["unreadable"]
_TRUST = ["live"] * 4 + ["fresh"] * 4 + ["old", "unsynced", "removed"]
_FROM = [3, 3, 3, 3, 4, 5, None]
_TO = [None, None, None, 5, 6, 7, 7]
_STALE = [None, 3, 4, 5, 6]


@dataclass(frozen=True)
class Place:
    """A folder or a document: `parent` is the place of a folder in the list, None for the root."""

    parent: int | None
    policy: str
    allow: frozenset[int]
    deny: frozenset[int]
    opened_at: int
    dead: bool
    hidden: bool
    source: int


@dataclass(frozen=True)
class Row:
    """A record: of which document, valid when, out of date since when."""

    document: int
    from_epoch: int | None
    to_epoch: int | None
    stale_since: int | None


@dataclass(frozen=True)
class World:
    """Everything that the deciding statement reads. `edges` and `removed`: (member, group, stamp)."""

    folders: tuple[Place, ...]
    documents: tuple[Place, ...]
    behind: tuple[int | None, ...]
    records: tuple[Row, ...]
    edges: dict[tuple[int, int], int]
    removed: dict[tuple[int, int], int]
    sources: tuple[str, ...]
    caller: frozenset[int]
    epoch: int

    # what it means

    def closure(self) -> frozenset[int]:
        """The caller and its groups."""
        known = set(self.caller)
        while more := {group for member, group in self.edges if member in known} - known:
            known |= more
        return frozenset(known)

    def chain(self, document: Place) -> list[Place] | None:
        """The folders above a document, nearest first; None when they do not reach the root in 64 steps."""
        at, found = document.parent, list[Place]()
        while at is not None and len(found) <= 64:
            found.append(self.folders[at])
            at = self.folders[at].parent
        return found if at is None else None

    def access(self, document: Place) -> Access:
        """The access fields in force."""
        chain = self.chain(document)
        if chain is None or document.dead or document.hidden or any(folder.dead for folder in chain):
            return NOBODY
        links = [document, *chain]
        if any(link.policy == "unreadable" for link in links):
            return NOBODY
        allow = next((link.allow for link in links if link.policy == "stated"), frozenset())
        deny = frozenset().union(*(link.deny for link in links))
        if not allow:
            return NOBODY
        return Access(frozenset(PEOPLE[i] for i in allow), frozenset(PEOPLE[i] for i in deny))

    def verdicts(self) -> dict[RecordId, tuple[bool, bool]]:
        """(closed, pending) of every record that the caller may be given."""
        me = self.closure()
        names = frozenset(PEOPLE[i] for i in me)
        edges = [stamp for (member, _), stamp in [*self.edges.items(), *self.removed.items()] if member in me]
        found: dict[RecordId, tuple[bool, bool]] = {}
        for number, row in enumerate(self.records):
            document = self.documents[row.document]
            began = row.from_epoch is not None and row.from_epoch <= self.epoch
            ended = row.to_epoch is not None and row.to_epoch <= self.epoch
            trusted = self.sources[document.source] in {"live", "fresh"}
            if not began or ended or not trusted or not self.access(document).admits(names):
                continue
            closed = row.to_epoch is not None
            stale = (-1 if row.stale_since is None else row.stale_since) if closed else self.behind[row.document]
            stamps = [document.opened_at, *(folder.opened_at for folder in self.chain(document) or ()), *edges]
            pending = stale is not None and any(stamp > stale for stamp in stamps)
            found[numbered(number + 1)] = (closed, pending)
        return found

    # as rows

    def write(self, tx: Connection) -> None:
        """Put it into an empty catalog, as generation 1. Document n of the list has id n + 1, and so on."""
        rows(tx, principals, [{"id": i, "name": name} for i, name in enumerate(PEOPLE) if i])
        rows(tx, sources, [{"id": n + 1, "name": f"s{n}", "kind": "files"} for n in range(len(self.sources))])
        for n, state in enumerate(self.sources):
            timed: dict[str, Any] = {
                "fresh": {"max_age_s": 1_000.0, "synced_at": db_now()},
                "old": {"max_age_s": 9.0, "synced_at": 9.0},
            }
            known: dict[str, Any] = {"state": "live" if state in timed else state} | timed.get(state, {})
            tx.execute(update(sources).where(sources.c.id == n + 1).values(known))
        shaped = {"suffix": "s", "state": "active", "fingerprint": "f", "dimension": 2, "settings": {}}
        rows(tx, generations, [{"id": 1, "horizon": 3, "epoch": 9} | shaped])
        for n, folder in enumerate(self.folders):
            # circles can only be made afterwards
            place = {"id": n + 1, "source_id": 1, "parent_id": 1 if n else None, "name": f"f{n}"}
            rows(tx, folders, [place | said(folder)])
        for n, folder in enumerate(self.folders):
            if folder.parent:
                tx.execute(update(folders).where(folders.c.id == n + 1).values(parent_id=folder.parent + 1))
        rows(
            tx,
            documents,
            [
                {"id": n + 1, "source_id": d.source + 1, "folder_id": (d.parent or 0) + 1, "name": f"d{n}"}
                | {"hidden": d.hidden}
                | said(d)
                for n, d in enumerate(self.documents)
            ],
        )
        rows(
            tx,
            policy_entries,
            [
                {"kind": kind, "object_id": n + 1, "effect": effect, "principal_id": i}
                for kind, places in (("f", self.folders), ("d", self.documents))
                for n, place in enumerate(places)
                for effect, named in (("a", place.allow), ("d", place.deny))
                for i in named
            ],
        )
        behind = [{"document_id": n + 1, "behind_at": at} for n, at in enumerate(self.behind)]
        rows(tx, indexing, [{"generation_id": 1, "ready_at": 0.0} | row for row in behind])
        text: dict[str, Any] = {"chunk": "c", "input_hash": "h", "order_key": "a", "since_version": 1, "body": "text"}
        text |= {"heading": [], "codes": [], "metadata": {}, "generation_id": 1}
        rows(
            tx,
            records,
            [
                text
                | {"id": numbered(n + 1), "document_id": row.document + 1, "stale_since": row.stale_since}
                | {"from_epoch": row.from_epoch, "to_epoch": row.to_epoch}
                for n, row in enumerate(self.records)
            ],
        )
        rows(tx, memberships, [{"member_id": m, "group_id": g, "granted_at": at} for (m, g), at in self.edges.items()])
        gone = [{"member_id": m, "group_id": g, "removed_at": at} for (m, g), at in self.removed.items()]
        rows(tx, membership_tombstones, gone)


def said(place: Place) -> dict[str, Any]:
    """The columns that folders and documents share."""
    return {"policy": place.policy, "opened_at": place.opened_at, "deleted_at": 1.0 if place.dead else None}


def rows(tx: Connection, table: Table, values: list[dict[str, Any]]) -> None:
    """Insert rows, if there are any."""
    if values:
        tx.execute(insert(table), values)


def world(seed: int) -> World:
    """A world: trees with a few circles, groups with circles, texts behind and closed."""
    of = Random(seed)
    count = of.randint(1, 6)
    trust = tuple(of.choice(_TRUST) for _ in range(of.randint(1, 2)))
    made = tuple(_place(of, _above(of, n, count), 1) for n in range(count))
    texts = tuple(_place(of, of.randrange(count), len(trust)) for _ in range(of.randint(1, 5)))
    return World(
        folders=made,
        documents=texts,
        behind=tuple(of.choice(_STALE) for _ in texts),
        records=tuple(
            Row(of.randrange(len(texts)), of.choice(_FROM), of.choice(_TO), of.choice(_STALE))
            for _ in range(of.randint(1, 12))
        ),
        edges=_edges(of),
        removed=_edges(of),
        sources=trust,
        caller=_some(of, 4),
        epoch=of.randint(4, 6),
    )


def _place(of: Random, parent: int | None, sources_: int) -> Place:
    return Place(
        parent=parent,
        policy=of.choice(_POLICIES),
        allow=_some(of, 5),
        deny=_some(of, 2) if of.random() < 0.2 else frozenset(),
        opened_at=of.choice(_STAMPS),
        dead=of.random() < 0.06,
        hidden=of.random() < 0.06,
        source=of.randrange(sources_),
    )


def _above(of: Random, n: int, count: int) -> int | None:
    """Seldom below itself: a circle."""
    if n == 0:
        return None
    return of.randrange(1, count) if of.random() < 0.1 else of.randrange(n)


def _some(of: Random, most: int) -> frozenset[int]:
    return frozenset(of.sample(_ALL, of.randint(0, most)))


def _edges(of: Random) -> dict[tuple[int, int], int]:
    """A member is anybody but everybody; what it belongs to is a group."""
    return {(of.choice(_ALL[1:]), of.choice(_ALL[3:])): of.choice(_STAMPS) for _ in range(of.randint(0, 6))}
