"""Order keys leave room between any two, and the longest run stays put."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.model.order_key import key_between, keys_between, longest_run


@given(st.lists(st.integers(0, 1_000), max_size=200))
def test_a_key_made_at_any_place_stands_strictly_between_its_neighbours(places: list[int]) -> None:
    keys: list[str] = []
    for place in places:
        at = place % (len(keys) + 1)
        low = keys[at - 1] if at else None
        high = keys[at] if at < len(keys) else None
        keys.insert(at, key_between(low, high))
    assert keys == sorted(set(keys))


@given(st.integers(0, 3_000))
def test_many_keys_at_once_are_ascending_and_short(count: int) -> None:
    keys = keys_between(None, None, count)
    assert keys == sorted(set(keys))
    assert all(len(key) <= 8 for key in keys)


@given(st.integers(1, 60))
def test_inserting_always_at_the_front_keeps_working(times: int) -> None:
    first = key_between(None, None)
    for _ in range(times):
        before = key_between(None, first)
        assert before < first
        first = before


def test_no_key_lies_between_equal_keys() -> None:
    with pytest.raises(ValueError, match="no key lies between"):
        key_between("h", "h")


@given(st.lists(st.text("abc", min_size=1, max_size=3), max_size=30))
def test_the_longest_run_is_ascending_and_no_shorter_than_any_other(keys: list[str]) -> None:
    run = [keys[position] for position in longest_run(keys)]
    assert run == sorted(set(run))
    assert len(run) == _longest_by_trying(keys)


def _longest_by_trying(keys: list[str]) -> int:
    best: list[int] = []
    for i, key in enumerate(keys):
        best.append(1 + max((best[j] for j in range(i) if keys[j] < key), default=0))
    return max(best, default=0)
