"""Fractional order keys: strings between any two of which there is room, so an insertion renumbers nobody.

Digits are base 36 and a key never ends in the lowest one, so a key strictly between two others always exists; keys
compare as bytes.
"""

from collections.abc import Sequence

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def key_between(low: str | None, high: str | None) -> str:
    """A key strictly between `low` and `high`; None is the open end. Raises ValueError unless low < high."""
    if low is not None and high is not None and low >= high:
        raise ValueError(f"no key lies between {low!r} and {high!r}")
    key, at, bounded = "", 0, high
    while True:
        floor = _DIGITS.index(low[at]) if low is not None and at < len(low) else 0
        ceiling = _DIGITS.index(bounded[at]) if bounded is not None and at < len(bounded) else len(_DIGITS)
        middle = (floor + ceiling) // 2
        if middle > floor:
            return key + _DIGITS[middle]
        key += _DIGITS[floor]
        if floor < ceiling:
            bounded = None  # already below `high` here; only `low` bounds what follows
        at += 1


def keys_between(low: str | None, high: str | None, count: int) -> list[str]:
    """`count` ascending keys strictly between `low` and `high`, spread so that their length grows with log(count)."""
    if count == 0:
        return []
    half = count // 2
    middle = key_between(low, high)
    return [*keys_between(low, middle, half), middle, *keys_between(middle, high, count - half - 1)]


def longest_run(keys: Sequence[str]) -> list[int]:
    """Positions of a longest strictly ascending subsequence of `keys` (patience sorting, O(n log n))."""
    tails: list[int] = []
    before: list[int] = []
    for position, key in enumerate(keys):
        low, high = 0, len(tails)
        while low < high:
            middle = (low + high) // 2
            if keys[tails[middle]] < key:
                low = middle + 1
            else:
                high = middle
        before.append(tails[low - 1] if low else -1)
        tails[low : low + 1] = [position]
    run: list[int] = []
    position = tails[-1] if tails else -1
    while position >= 0:
        run.append(position)
        position = before[position]
    return run[::-1]
