"""P8: what each kind of change costs, exactly, on the embedded stores."""

from pathlib import Path

import pytest

from tests.integration.least_work import CHANGES, Work, measure


@pytest.fixture(scope="module")
def costs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Work]:
    base: Path = tmp_path_factory.mktemp("least-work")
    return measure(base)


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_costs_exactly(change: str, costs: dict[str, Work]) -> None:
    _, wanted = CHANGES[change]
    assert costs[change] == wanted
