"""The deciding statement and the access fields against a naive evaluation, over random trees and groups."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from ingest.catalog import policies
from ingest.catalog.database import Database
from ingest.catalog.decision import decide
from ingest.catalog.principals import closure
from tests.contract.catalog_databases import postgresql_migrated, sqlite_copy, sqlite_template
from tests.contract.catalog_rows import numbered
from tests.contract.catalog_worlds import PEOPLE, World, world

# seeds and not draws, so that the kinds of worlds come as often as `world` says; a failing one is small anyway
_WORLDS = st.integers(0, 2**32).map(world)
_LIMITS = st.integers(1, len(PEOPLE))


@pytest.fixture(scope="module")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder: Path = tmp_path_factory.mktemp("catalog")
    with sqlite_copy(sqlite_template(folder), folder) as database:
        yield database


@pytest.fixture(scope="module")
def postgresql(postgres_url: str) -> Iterator[Database]:
    with postgresql_migrated(postgres_url) as database:
        yield database


@settings(max_examples=300, deadline=None)
@given(made=_WORLDS, limit=_LIMITS)
def test_the_decision_is_the_naive_one_on_sqlite(sqlite: Database, made: World, limit: int) -> None:
    agree(sqlite, made, limit)


@settings(max_examples=100, deadline=None)
@given(made=_WORLDS, limit=_LIMITS)
def test_the_decision_is_the_naive_one_on_postgresql(postgresql: Database, made: World, limit: int) -> None:
    agree(postgresql, made, limit)


def test_the_worlds_hold_every_answer() -> None:
    """Worlds in which nothing may be read would prove nothing."""
    seen: Counter[object] = Counter()
    for seed in range(300):
        made = world(seed)
        found = made.verdicts()
        seen.update(found.values())
        seen["not given"] += len(made.records) - len(found)
        seen["circle"] += any(made.chain(document) is None for document in made.documents)
        seen["nested"] += len(made.closure()) > len(made.caller) + 1
    answers = [(closed, pending) for closed in (False, True) for pending in (False, True)]
    assert min(seen[what] for what in [*answers, "not given", "circle", "nested"]) >= 10, seen


def agree(database: Database, made: World, limit: int) -> None:
    """Write a world, compare, roll back."""
    with database.engine.connect() as tx, tx.begin() as transaction:
        made.write(tx)
        compare(tx, made, limit)
        transaction.rollback()


def compare(tx: Connection, made: World, limit: int) -> None:
    """Ask the catalog what the world says of itself."""
    everything = [numbered(n + 1) for n in range(len(made.records))]
    caller = [PEOPLE[i] for i in made.caller]
    found = decide(tx, generation_id=1, epoch=made.epoch, caller=caller, candidates=everything, closure_limit=limit)
    me = made.closure()
    assert found.groups == min(len(me), limit + 1)
    assert found.horizon == 3
    if len(me) <= limit:
        assert {verdict.id: (verdict.closed, verdict.pending) for verdict in found.verdicts} == made.verdicts()
        assert len(found.verdicts) == len(made.verdicts())
        assert closure(tx, caller, limit) == {PEOPLE[i] for i in me}
    fields = policies.access_of(tx, range(1, len(made.documents) + 1))
    assert fields == {n + 1: made.access(document) for n, document in enumerate(made.documents)}
