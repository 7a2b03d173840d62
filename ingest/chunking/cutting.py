"""Cuts blocks that are too long into units: at parts, then sentences, lines, and inside a line."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from ingest.chunking.blocks import Block, Form
from ingest.chunking.budget import Budget
from ingest.chunking.lines import SourceLines
from ingest.chunking.sentences import sentence_ends
from ingest.chunking.windows import Unit, content_hash

_STANZA_END = re.compile(r"\n(?:[^\S\n]*\n)+")
_LINE_END = re.compile(r"\n")
_CELL_END = re.compile(r"(?<!\\)(?=\|)")
_JOINERS = frozenset("\u200d\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
_INTRODUCES = 2  # added to the rank of an end: a cut among the items of a list is better than before the first
_INSIDE_LINE = 2
_WORDS_HASHED = 24  # characters before a cut inside a line that decide about it


@dataclass(frozen=True, slots=True)
class _Part:
    form: Form
    start: int
    end: int
    rank: int
    blocks: tuple[Block, ...] = ()
    header: tuple[int, int] | None = None


def _ends(pattern: re.Pattern[str]) -> Callable[[str], list[int]]:
    def ends(text: str) -> list[int]:
        inside = (match.end() for match in pattern.finditer(text))
        return [*(end for end in inside if 0 < end < len(text)), len(text)]

    return ends


_FINER: dict[Form, tuple[Form, Callable[[str], list[int]]]] = {
    Form.PROSE: (Form.SENTENCE, sentence_ends),
    Form.SENTENCE: (Form.LINE, _ends(_LINE_END)),
    Form.CODE: (Form.STANZA, _ends(_STANZA_END)),
    Form.STANZA: (Form.LINE, _ends(_LINE_END)),
    Form.ROW: (Form.CELL, _ends(_CELL_END)),
    Form.CELL: (Form.LINE, sentence_ends),
}


class Cutter:
    """Cuts the blocks of one section. `room` is what a chunk has for text, in tokens."""

    def __init__(self, source: SourceLines, budget: Budget, room: int) -> None:
        self._source = source
        self._text = source.text
        self._budget = budget
        self._room = room
        self._header_sizes: dict[tuple[int, int], int] = {}

    def units(self, blocks: tuple[Block, ...]) -> list[Unit]:
        """The blocks in order as units, each of which fits by itself."""
        return [unit for block in blocks for unit in self._units(self._part(block, rank=0))]

    def forced(self, unit: Unit, room: int) -> list[Unit]:
        """A unit that turned out too long in a whole input, cut inside its lines."""
        return list(self._inside(_Part(Form.LINE, unit.start, unit.end, unit.rank, (), unit.header), room))

    def _part(self, block: Block, rank: int) -> _Part:
        start, end = self._source.offset(block.first), self._source.offset(block.last)
        if block.form is Form.PROSE and self._text[start:end].rstrip().endswith((":", "：")):
            rank += _INTRODUCES
        header = block.header and (self._source.offset(block.header[0]), self._source.offset(block.header[1]) - 1)
        return _Part(block.form, start, end, rank, block.parts, header)

    def _units(self, part: _Part) -> Iterator[Unit]:
        text = self._text[part.start : part.end]
        header, header_size = self._header(part)
        if not self._budget.surely_over(text):
            size = self._budget.size(text)
            if size + header_size <= self._room:
                yield Unit(part.start, part.end, part.rank, size, header, header_size)
                return
        for finer in self._finer(part, text):
            yield from self._units(finer) if isinstance(finer, _Part) else (finer,)

    def _finer(self, part: _Part, text: str) -> Iterator[_Part | Unit]:
        if part.blocks:
            parts = [self._part(block, part.rank + 1) for block in part.blocks]
            yield from parts[:-1]
            last = parts[-1]
            yield _Part(last.form, last.start, last.end, part.rank, last.blocks, last.header)
            return
        form = part.form
        while form in _FINER:
            form, ends_of = _FINER[form]
            ends = ends_of(text)
            if len(ends) > 1:
                for start, end in pairwise((0, *ends)):
                    rank = part.rank if end == len(text) else part.rank + 1
                    yield _Part(form, part.start + start, part.start + end, rank, (), part.header)
                return
        yield from self._inside(part, self._room - self._header(part)[1])

    def _inside(self, part: _Part, room: int) -> Iterator[Unit]:
        """Cut inside a line, at tokens: at white space where there is any, and by content like every forced cut."""
        header, header_size = self._header(part)
        line = self._text[part.start : part.end]
        start = 0
        while start < len(line):
            end = self._budget.cut(line, start, room)
            if end < len(line):
                end = _best_end(line, start, end)
            rank = part.rank if end == len(line) else part.rank + _INSIDE_LINE
            size = self._budget.size(line[start:end])
            yield Unit(part.start + start, part.start + end, rank, size, header, header_size)
            start = end

    def _header(self, part: _Part) -> tuple[tuple[int, int] | None, int]:
        """The header that a later piece repeats: none where it would take more than half of every chunk."""
        if part.header is None:
            return None, 0
        if part.header not in self._header_sizes:
            self._header_sizes[part.header] = self._budget.size(self._text[slice(*part.header)])
        size = self._header_sizes[part.header]
        return (part.header, size) if size <= self._room // 2 else (None, 0)


def _best_end(line: str, start: int, limit: int) -> int:
    reach = range(start + max(1, (limit - start) // 4), limit + 1)
    ends = [end for end in reach if line[end - 1].isspace() and not line[end].isspace()]
    ends = ends or [end for end in reach if not _joined(line, end)] or [limit]
    return min(ends, key=lambda end: (content_hash(line[max(0, end - _WORDS_HASHED) : end]), -end))


def _joined(line: str, at: int) -> bool:
    """Whether the characters around an offset make one sign: accents, emoji sequences."""
    after = line[at]
    return line[at - 1] == "\u200d" or after in _JOINERS or unicodedata.category(after) in {"Mn", "Me", "Mc"}
