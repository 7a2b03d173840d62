"""Tests of the test: with one guard of the protocol taken away, the harness sees a promise broken, for three seeds."""

from collections.abc import Iterator

import pytest

from tests.property.protocol.driver import drive
from tests.property.protocol.mutations import MUTATIONS, applied
from tests.property.protocol.rig import SteppedDatabase, opened
from tests.property.protocol.violation import Violation

SEEDS = (1, 2, 3)
STEPS_MOST = 6_000


@pytest.fixture(scope="module")
def database() -> Iterator[SteppedDatabase]:
    with opened() as database:
        yield database


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", sorted(MUTATIONS))
def test_a_guard_that_is_taken_away_is_missed(database: SteppedDatabase, name: str, seed: int) -> None:
    mutation = MUTATIONS[name]
    with applied(name), pytest.raises(Violation) as found:
        drive(database, seed, steps=STEPS_MOST, profiles=[mutation.profile], length=mutation.length, explore=False)
    assert found.value.promise in mutation.promises
