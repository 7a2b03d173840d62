"""The deciding statement and the access fields against a naive evaluation, over random trees and groups."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from ingest.catalog import policies
from ingest.catalog.database import Database
from ingest.catalog.decision import decide
from ingest.catalog.principals import closure
from tests.contract.catalog_databases import postgresql_migrated, sqlite_copy, sqlite_template
from tests.contract.catalog_rows import numbered
from tests.contract.catalog_worlds import PEOPLE, World, worlds

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


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(world=worlds(), limit=_LIMITS)
def test_the_decision_is_the_naive_one_on_sqlite(sqlite: Database, world: World, limit: int) -> None:
    agree(sqlite, world, limit)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(world=worlds(), limit=_LIMITS)
def test_the_decision_is_the_naive_one_on_postgresql(postgresql: Database, world: World, limit: int) -> None:
    agree(postgresql, world, limit)


def test_the_worlds_hold_every_answer() -> None:
    """A world generator that never lets anything be read would prove nothing."""
    seen: Counter[object] = Counter()

    @settings(max_examples=300, deadline=None, database=None, derandomize=True)
    @given(world=worlds())
    def count(world: World) -> None:
        found = world.verdicts()
        seen.update(found.values())
        seen["not given"] += len(world.records) - len(found)
        seen["circle"] += any(world.chain(document) is None for document in world.documents)
        seen["nested"] += len(world.closure()) > len(world.caller) + 1

    count()
    answers = [(closed, pending) for closed in (False, True) for pending in (False, True)]
    assert min(seen[what] for what in [*answers, "not given", "circle", "nested"]) >= 3, seen


def agree(database: Database, world: World, limit: int) -> None:
    """Write a world, compare, roll back."""
    with database.engine.connect() as tx, tx.begin() as transaction:
        world.write(tx)
        compare(tx, world, limit)
        transaction.rollback()


def compare(tx: Connection, world: World, limit: int) -> None:
    """Ask the catalog what the world says of itself."""
    everything = [numbered(n + 1) for n in range(len(world.records))]
    caller = [PEOPLE[i] for i in world.caller]
    found = decide(tx, generation_id=1, epoch=world.epoch, caller=caller, candidates=everything, closure_limit=limit)
    me = world.closure()
    assert found.groups == min(len(me), limit + 1)
    assert found.horizon == 3
    if len(me) <= limit:
        assert {verdict.id: (verdict.closed, verdict.pending) for verdict in found.verdicts} == world.verdicts()
        assert len(found.verdicts) == len(world.verdicts())
        assert closure(tx, caller, limit) == {PEOPLE[i] for i in me}
    fields = policies.access_of(tx, range(1, len(world.documents) + 1))
    assert fields == {n + 1: world.access(document) for n, document in enumerate(world.documents)}
