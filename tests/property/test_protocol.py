"""Random steps, crashes at any point, late workers and retries, checked after each step against a simple model."""

import pytest

from tests.property.protocol.driver import Done, drive
from tests.property.protocol.rig import opened


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.timeout(600)
def test_no_interleaving_breaks_a_promise(seed: int) -> None:
    done = Done()
    with opened() as database:
        drive(database, seed, steps=400, done=done)
    print(done.occurrences.table({}))  # noqa: T201 -- how often each step, crash, refusal and `pending` occurred
    assert done.steps >= 400
