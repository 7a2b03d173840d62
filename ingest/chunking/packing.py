"""Packs the units of one section into passages, each counted once more as the complete input it becomes."""

from collections.abc import Iterator
from dataclasses import dataclass

from ingest.chunking.budget import Budget
from ingest.chunking.cutting import Cutter
from ingest.chunking.lines import SourceLines, without_blank_edges
from ingest.chunking.sections import Section
from ingest.chunking.windows import Unit, window_end
from ingest.chunking.words import model_input
from ingest.model.chunk import HeadingPath, Passage


@dataclass(frozen=True, slots=True)
class Packer:
    """Makes the passages of one section. `least` is what a forced cut leaves on either side, in tokens."""

    source: SourceLines
    section: Section
    embedded: HeadingPath
    budget: Budget
    prompt: str
    least: int

    def passages(self) -> Iterator[Passage]:
        """One passage when the section fits, else as many as its cuts make; never a blank one."""
        blocks = self.section.blocks
        whole = self._passage(self.source.offset(blocks[0].first), self.source.offset(blocks[-1].last))
        if not self.budget.surely_over(whole.text) and self._excess(whole) <= 0:
            yield whole
        else:
            yield from (passage for passage in self._packed() if passage.text)

    def _packed(self) -> Iterator[Passage]:
        room = self.budget.room(self.embedded)
        cutter = Cutter(self.source, self.budget, room)
        units = cutter.units(self.section.blocks)
        first = 0
        while first < len(units):
            end = window_end(self.source.text, units, first, room, self.least)
            window = self._window(units[first:end])
            reach = room
            while end > first + 1 and (over := self._excess(window)) > 0:
                reach = min(reach, _size(units[first:end])) - over
                end = window_end(self.source.text, units, first, reach, self.least)
                window = self._window(units[first:end])
            if end > first + 1:
                yield window
            else:
                yield from self._single(cutter, units[first])
            first = end

    def _single(self, cutter: Cutter, unit: Unit) -> Iterator[Passage]:
        """A unit by itself, in smaller pieces where counting its parts had promised too much."""
        passage = self._window([unit])
        over = self._excess(passage)
        pieces = [unit]
        room = unit.size
        while over > 0 and room > over and len(pieces) == 1:
            room -= over
            pieces = cutter.forced(unit, room)
        if len(pieces) == 1:
            yield passage
            return
        for piece in pieces:
            yield from self._single(cutter, piece)

    def _window(self, units: list[Unit]) -> Passage:
        return self._passage(units[0].start, units[-1].end, units[0].header)

    def _passage(self, start: int, end: int, header: tuple[int, int] | None = None) -> Passage:
        text = self.source.text
        start, end = without_blank_edges(text, start, end)
        carried = text[slice(*header)] if header else ""
        return Passage(text[start:end], self.section.path, self.embedded, carried)

    def _excess(self, passage: Passage) -> int:
        return self.budget.excess(model_input(self.prompt, passage))


def _size(units: list[Unit]) -> int:
    return units[0].header_size + sum(unit.size for unit in units)
