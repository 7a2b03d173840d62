"""Forced cuts that stay where they are while the text around them changes.

Filling each chunk to the limit would move every later cut with every edit. Here a cut depends on what stands before
it and not on how much: within reach of the last cut the end with the best boundary is taken, and among equals the one
whose last unit has the smallest hash. Two versions of a text agree again a chunk or two behind an edit.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unit:
    """What is not cut any further: text[start:end].

    `rank` says what ends here (0 the end of a block, more the deeper inside one); `size` is in tokens; `header` are
    the offsets of table lines that have to come before it, `header_size` their tokens.
    """

    start: int
    end: int
    rank: int
    size: int
    header: tuple[int, int] | None = None
    header_size: int = 0


def content_hash(text: str) -> int:
    """A number that depends on the words alone, the same in every process."""
    return int.from_bytes(hashlib.blake2b(text.strip().encode("utf-8", "surrogatepass"), digest_size=8).digest())


def window_end(text: str, units: Sequence[Unit], first: int, room: int, least: int) -> int:
    """The unit before which the window that begins at units[first] ends: first + 1 at least.

    The window holds at most `room` tokens, its header included. It and what is left hold at least `least`, where a
    cut can be had that way.
    """
    fits, sizes = _reach(units, first, room)
    if fits == len(units):
        return fits
    ends = [end for end, size in sizes if size >= least and _left(units, end, least)]
    ends = ends or [end for end, size in sizes if size >= least] or [fits]
    return min(ends, key=lambda end: (units[end - 1].rank, content_hash(_said(text, units[end - 1])), -end))


def _reach(units: Sequence[Unit], first: int, room: int) -> tuple[int, list[tuple[int, int]]]:
    size = units[first].header_size + units[first].size
    sizes = [(first + 1, size)]
    for end in range(first + 1, len(units)):
        size += units[end].size
        if size > room:
            break
        sizes.append((end + 1, size))
    return sizes[-1][0], sizes


def _left(units: Sequence[Unit], end: int, least: int) -> bool:
    left = 0
    for at in range(end, len(units)):
        left += units[at].size
        if left >= least:
            return True
    return False


def _said(text: str, unit: Unit) -> str:
    return text[unit.start : unit.end]
