"""The promises P1 and P3 to P9 under random edits, moves, access and group changes, crashes, late workers and faults.

`python -m tests.property.protocol SEED [STEPS]` drives one seed by hand, and makes a run that breaks a promise shorter.
"""

from collections.abc import Iterator

import pytest

from tests.property.protocol.driver import Done, drive, told, visit
from tests.property.protocol.occurrences import expected
from tests.property.protocol.rig import SteppedDatabase, opened
from tests.property.protocol.violation import Violation

SEEDS = (1, 2, 3)
STEPS_A_SEED = 2_000


@pytest.fixture(scope="module")
def database() -> Iterator[SteppedDatabase]:
    with opened() as database:
        yield database


@pytest.fixture(scope="module")
def done() -> Done:
    """What all seeds have driven."""
    return Done()


@pytest.mark.parametrize("seed", SEEDS)
def test_no_promise_is_broken_whatever_happens_between_any_two_steps(
    database: SteppedDatabase, done: Done, seed: int
) -> None:
    try:
        of_seed = drive(database, seed, steps=STEPS_A_SEED)
    except Violation as violation:
        pytest.fail(told(database, violation), pytrace=False)
    done.add(of_seed)


def test_every_point_between_two_steps_is_survived(database: SteppedDatabase, done: Done) -> None:
    """A crash, and a worker held, at each point that the seeds have not come to."""
    try:
        visit(database, done)
    except Violation as violation:
        pytest.fail(told(database, violation), pytrace=False)


def test_everything_that_must_happen_has_happened(done: Done, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\n{done.steps} steps in {done.seconds:.0f} s")  # noqa: T201 -- the table is what this test is for
        print(done.occurrences.table(expected()))  # noqa: T201
    assert done.occurrences.missing(expected()) == []
