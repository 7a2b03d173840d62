"""Plans of the hot statements, on both databases, over some thousand rows with statistics.

What a catalog function really executes is caught and explained, so a test cannot drift from the statement it holds.
"""

import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import Connection, event, insert, text

from ingest.catalog import access_work, documents, folders, generations, inbox, indexing, policies, records
from ingest.catalog.access_work import Work
from ingest.catalog.database import Database
from ingest.catalog.decision import decide
from ingest.catalog.indexing import BatchSizes, Lease
from ingest.catalog.tables import documents as documents_table
from ingest.catalog.tables import folders as folders_table
from ingest.catalog.tables import generations as generations_table
from ingest.catalog.tables import inbox as inbox_table
from ingest.catalog.tables import indexing as indexing_table
from ingest.catalog.tables import membership_tombstones, memberships, policy_entries, principals, sources
from ingest.catalog.tables import records as records_table
from ingest.model.principal import Principal
from tests.contract.catalog_databases import postgresql_migrated, sqlite_copy, sqlite_template
from tests.contract.catalog_rows import numbered

DOCUMENTS = 3_000
FOLDERS = 600
EACH = 3  # records of a document
PEOPLE = 2_000
BIG = {"documents", "folders", "inbox", "indexing", "memberships", "policy_entries", "principals", "records"}
ANN = Principal("local:user:5")
CANDIDATES = [numbered(1 + n * 97) for n in range(20)]
LEASES = [Lease(n, 1, 0, 1, False, 0) for n in range(1, 11)]
SOME = range(1, 11)

Act = Callable[[Connection], object]


@dataclass(frozen=True, slots=True)
class Hot:
    """A hot statement: what executes it and the index that serves it (None: primary keys alone)."""

    says: str
    act: Act
    index: str | None = None


def _decide(tx: Connection, *, with_text: bool = False) -> object:
    return decide(
        tx, generation_id=1, epoch=5, caller=[ANN], candidates=CANDIDATES, closure_limit=1_000, with_text=with_text
    )


HOT = [
    Hot(
        "claim",
        lambda tx: indexing.claim(tx, 1, sizes=BatchSizes(), lease_s=60.0, attempts_alone=3),
        "indexing_due",
    ),
    Hot("claim access", lambda tx: indexing.claim_access(tx, 1, limit=64, lease_s=60.0), "indexing_access_due"),
    Hot("publish locks the generation", lambda tx: generations.lock_for_publish(tx, 1)),
    Hot("publish locks leased rows", lambda tx: indexing.held_by(tx, LEASES)),
    Hot("publish locks staged records", lambda tx: records.lock_staged(tx, CANDIDATES)),
    Hot("publish opens", lambda tx: records.open_all(tx, CANDIDATES, 9)),
    Hot("publish closes", lambda tx: records.close_all(tx, [(i, 1) for i in CANDIDATES], 9)),
    Hot("oldest uncovered", lambda tx: inbox.oldest_uncovered(tx, 7, 1), "inbox_of_document"),
    Hot("decide", _decide),
    Hot("decide with text", lambda tx: _decide(tx, with_text=True)),
    Hot("access in force", lambda tx: policies.access_of(tx, SOME)),
    Hot("chains", lambda tx: folders.chains(tx, SOME)),
    Hot("open records", lambda tx: records.open_of(tx, 1, SOME), "records_open"),
    Hot("condemn staged", lambda tx: records.condemn_staged(tx, 1, SOME), "records_staged"),
    Hot("vacuum condemns", lambda tx: records.condemn_closed(tx, 1, 4, 100), "records_closed"),
    Hot("vacuum deletes", lambda tx: records.to_delete(tx, 1, 100), "records_condemned"),
    Hot("vacuum deletes again", lambda tx: records.to_delete_again(tx, 1, 60.0, 100), "records_deleted_once"),
    Hot("fan-out page", lambda tx: access_work.page(tx, Work(1, 1, 2, True, 0), 100), "documents_in_folder"),
    Hot("claim looks at documents", lambda tx: documents.claim_looks(tx, 64, 60.0), "documents_look_due"),
    Hot("claim looks at folders", lambda tx: folders.claim_looks(tx, 64, 60.0), "folders_look_due"),
    Hot("next look at a document", documents.next_look, "documents_look_due"),
    Hot("next look at a folder", folders.next_look, "folders_look_due"),
    Hot("next due", lambda tx: indexing.next_ready(tx, 1), "indexing_due"),
    Hot("document by name", lambda tx: documents.find(tx, 2, "d7"), "documents_by_name"),
    Hot("folder by key", lambda tx: folders.find(tx, 1, "f2/f9"), "folders_by_name"),
    Hot("known events", lambda tx: inbox.known(tx, 1, {f"new-{n}": {} for n in SOME})),
    Hot("an event waits", lambda tx: inbox.waits(tx, 7), "inbox_waiting_document"),
    Hot("mark behind", lambda tx: indexing.mark_behind(tx, SOME), "indexing_of_document"),
]


@pytest.fixture(scope="module")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder = tmp_path_factory.mktemp("plans")
    with sqlite_copy(sqlite_template(folder), folder) as database:
        fill(database)
        yield database


@pytest.fixture(scope="module")
def postgresql(postgres_url: str) -> Iterator[Database]:
    with postgresql_migrated(postgres_url) as database:
        fill(database)
        yield database


@pytest.mark.parametrize("hot", HOT, ids=lambda hot: str(hot.says))
def test_sqlite_searches_by_index(sqlite: Database, hot: Hot) -> None:
    steps = [step for plan in explained(sqlite, hot.act, "EXPLAIN QUERY PLAN ") for step in sqlite_steps(*plan)]
    scans = [step for step in steps if step.startswith("SCAN ") and (hot.index is None or hot.index not in step)]
    assert scans == []
    # 3.40 builds one over a whole table once statistics exist, which made the decision four times slower
    assert not [step for step in steps if "BLOOM FILTER" in step or "AUTOMATIC" in step]
    assert hot.index is None or any(hot.index in step for step in steps), steps


@pytest.mark.parametrize("hot", HOT, ids=lambda hot: str(hot.says))
def test_postgresql_searches_by_index(postgresql: Database, hot: Hot) -> None:
    plans = explained(postgresql, hot.act, "EXPLAIN (FORMAT JSON) ")
    nodes = [node for _, rows in plans for node in nodes_of(rows[0][0][0]["Plan"])]
    scans = [node["Relation Name"] for node in nodes if node["Node Type"] == "Seq Scan"]
    assert BIG.isdisjoint(scans)
    indexes = [node.get("Index Name") for node in nodes]
    assert hot.index is None or hot.index in indexes, indexes


def explained(database: Database, act: Act, prefix: str) -> list[tuple[str, list[Any]]]:
    """The statements that `act` executes, each with its plan; nothing is kept."""
    with database.engine.connect() as tx, tx.begin() as transaction:
        with caught(tx) as statements:
            act(tx)
        transaction.rollback()
    assert statements
    with database.engine.connect() as tx:
        if tx.dialect.name == "postgresql":
            # as for a catalog in memory or on a solid-state disk
            tx.execute(text("SET LOCAL random_page_cost = 1.1"))
        return [(sql, list(tx.exec_driver_sql(prefix + sql, values))) for sql, values in statements]


@contextmanager
def caught(tx: Connection) -> Iterator[list[tuple[str, Any]]]:
    """The statements that are executed meanwhile, with their values."""
    found: list[tuple[str, Any]] = []

    def note(_tx: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> None:
        found.append((statement, parameters[0] if many else parameters))

    event.listen(tx, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(tx, "before_cursor_execute", note)


def sqlite_steps(sql: str, rows: list[Any]) -> Iterator[str]:
    """The steps of a plan that touch a big table, or that build something over one."""
    pairs = re.findall(r"\b(?:FROM|JOIN|UPDATE)\s+(\w+)(?:\s+AS)?(?:\s+(?!ON\b|WHERE\b|SET\b|JOIN\b)(\w+))?", sql)
    tables: dict[str, set[str]] = defaultdict(set)
    for table, alias in pairs:
        tables[alias or table].add(table)
    for step in (str(row[3]) for row in rows):
        touched = tables.get(step.split()[1], set()) if step.startswith(("SCAN", "SEARCH")) else set()
        if touched & BIG or "BLOOM" in step:
            yield step


def nodes_of(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A plan's node and all below it."""
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes_of(below)


def fill(database: Database) -> None:
    """An installation at rest: most is published and covered, little is due."""
    now = time.time()
    with database.write() as tx:
        tx.execute(insert(sources).values(id=1, name="files", kind="files", state="live"))
        shaped = {"suffix": "s", "state": "active", "fingerprint": "f", "dimension": 2, "settings": {"chunker": "c"}}
        tx.execute(insert(generations_table).values(id=1, epoch=9, horizon=1, **shaped))
        # eight levels or so: folder n lies in folder n // 4
        tx.execute(insert(folders_table), [_folder(n) for n in range(1, FOLDERS + 1)])
        tx.execute(insert(documents_table), [_document(n, now) for n in range(1, DOCUMENTS + 1)])
        tx.execute(insert(indexing_table), [_indexing(n, now) for n in range(1, DOCUMENTS + 1)])
        tx.execute(insert(records_table), [_record(n, now) for n in range(1, DOCUMENTS * EACH + 1)])
        tx.execute(insert(inbox_table), [_event(n, now) for n in range(1, DOCUMENTS + 1)])
        tx.execute(insert(principals), [{"id": n, "name": _name(n)} for n in range(1, PEOPLE + 1)])
        groups = [(n, PEOPLE // 2 + (n * step) % (PEOPLE // 2)) for n in range(1, PEOPLE) for step in (1, 7, 13)]
        edges = [{"member_id": m, "group_id": g, "granted_at": 0} for m, g in sorted(set(groups)) if m != g]
        tx.execute(insert(memberships), edges)
        gone = [{"member_id": n, "group_id": PEOPLE, "removed_at": 0} for n in range(1, PEOPLE // 10)]
        tx.execute(insert(membership_tombstones), gone)
        said = [("f", n, "a", 1 + n % PEOPLE) for n in range(1, FOLDERS + 1)]
        said += [("f", n, "a", PEOPLE // 2 + n % 500) for n in range(1, FOLDERS + 1)]
        said += [("d", n, "d", 1 + n % PEOPLE) for n in range(1, DOCUMENTS, 3)]
        keys = ("kind", "object_id", "effect", "principal_id")
        tx.execute(insert(policy_entries), [dict(zip(keys, row, strict=True)) for row in sorted(set(said))])
        crowd(tx)
    with database.engine.connect() as tx:
        tx.execute(text("ANALYZE"))
        tx.commit()


def crowd(tx: Connection) -> None:
    """Many more folders, people and entries that no question concerns: PostgreSQL rightly scans what is small."""
    for into, values in (
        ("folders (id, source_id, parent_id, name, policy)", "i, 1, 1 + i % 600, 'crowd-' || i, 'inherit'"),
        ("principals (id, name)", "i, 'local:user:' || i"),
        ("memberships (member_id, group_id, granted_at)", "i, 1000 + i % 500, 0"),
        ("policy_entries (kind, object_id, effect, principal_id)", "'f', i, 'a', i"),
    ):
        numbers = "WITH RECURSIVE n(i) AS (SELECT 100001 UNION ALL SELECT i + 1 FROM n WHERE i < 130000)"
        tx.execute(text(f"INSERT INTO {into} {numbers} SELECT {values} FROM n"))  # noqa: S608 -- constants


def _folder(n: int) -> dict[str, Any]:
    due = {"look_ready_at": 1.0} if n % 200 == 0 else {"look_ready_at": None}
    place = {"id": n, "source_id": 1, "name": f"f{n}"}
    # only the first has no parent: the root
    place |= {"parent_id": None} if n == 1 else {"parent_id": max(n // 4, 1)}
    return place | due | {"policy": "stated" if n % 5 == 0 else "inherit"}


def _document(n: int, now: float) -> dict[str, Any]:
    due = {"look_ready_at": now - 9 if n % 200 == 0 else None, "deleted_at": now if n % 100 == 0 else None}
    policy = {"policy": "stated" if n % 7 == 0 else "inherit", "content_version": 1}
    return {"id": n, "source_id": 1, "folder_id": 2 if n % 20 == 0 else n % FOLDERS + 1, "name": f"d{n}"} | due | policy


def _indexing(n: int, now: float) -> dict[str, Any]:
    key = {"generation_id": 1, "document_id": n, "wanted_version": 2 if n % 150 == 0 else 1, "published_version": 1}
    return key | {"ready_at": now - n, "access_due": n % 300 == 0, "behind_at": None}


def _record(n: int, now: float) -> dict[str, Any]:
    """Of 50 records one is staged, one closed, one condemned and one deleted."""
    state: dict[str, Any] = {"from_epoch": 1 + n % 5, "to_epoch": None, "condemned_at": None, "deleted_once_at": None}
    others: list[dict[str, Any]] = [{"from_epoch": None}, {"to_epoch": 3}, {"to_epoch": 2, "condemned_at": now}]
    others.append({"to_epoch": 2, "condemned_at": now, "deleted_once_at": now - 90})
    state |= dict(enumerate(others)).get(n % 50, {})
    body = {"chunk": f"c{n}", "input_hash": f"h{n}", "order_key": "a", "since_version": 1, "body": "some text " * 20}
    more: dict[str, Any] = {"heading": [], "codes": [], "metadata": {}, "stale_since": 0}
    return {"id": numbered(n), "generation_id": 1, "document_id": 1 + n % DOCUMENTS} | state | body | more


def _event(n: int, now: float) -> dict[str, Any]:
    known = {"id": n, "source_id": 1, "event_id": f"e{n}", "body_hash": "h", "body": {}, "clock": 0}
    done = {"done_at": None if n % 100 == 0 else now, "version": None if n % 100 == 0 else 1, "accepted_at": now}
    return known | done | {"document_id": n, "folder_id": None}


def _name(n: int) -> str:
    return f"local:user:{n}" if n < PEOPLE // 2 else f"local:group:{n}"
