"""Blocks: what a document is made of, as ranges of source lines that leave no line out."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto


class Form(Enum):
    """How a part may be cut when it is too long; each member is cut into the kind that `cutting` names."""

    GROUP = auto()
    """Between its parts: a list, an item, a quote, a table."""
    PROSE = auto()
    SENTENCE = auto()
    CODE = auto()
    """Also HTML: what stands line by line."""
    STANZA = auto()
    ROW = auto()
    CELL = auto()
    LINE = auto()


@dataclass(frozen=True, slots=True)
class Block:
    """Lines first..last (half open). `header` are the lines of a table that this row needs before it."""

    form: Form
    first: int
    last: int
    parts: tuple["Block", ...] = ()
    header: tuple[int, int] | None = None


def tiled(blocks: Sequence[Block], first: int, last: int) -> tuple[Block, ...]:
    """Stretch blocks over first..last without a gap: what lies between goes with the block before, at the top after.

    Blank lines lie between, link reference definitions, and rules (`---`).
    """
    starts = [first, *(max(first, block.first) for block in blocks[1:])]
    ends = [*starts[1:], last]
    return tuple(
        _stretched(block, start, end) for block, start, end in zip(blocks, starts, ends, strict=False) if start < end
    )


def _stretched(block: Block, first: int, last: int) -> Block:
    if not block.parts:
        return Block(block.form, first, last, (), block.header)
    return Block(block.form, first, last, tiled(block.parts, first, last), block.header)
