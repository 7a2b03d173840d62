"""Sections: a heading, the path that leads to it, and the blocks directly under it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.chunking.blocks import Block, Form, tiled
from ingest.chunking.lines import SourceLines
from ingest.model.chunk import HeadingPath

_DEEPEST = 6
_WORDS = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading in lines first..last (half open); `title` is its raw source without the markers."""

    level: int
    title: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Section:
    """What becomes one chunk when it fits. Its blocks tile its lines."""

    path: HeadingPath
    blocks: tuple[Block, ...]


def sections(source: SourceLines, headings: Sequence[Heading], blocks: Sequence[Block]) -> list[Section]:
    """Put blocks under their headings. A heading with nothing directly under it is no section of its own, only part
    of the path of what follows, unless nothing follows: then its own lines are its text."""
    top = Heading(0, "", 0, 0)
    found: list[Section] = []
    remaining = list(reversed(blocks))
    for heading, path, end, leads in _outline(source, [top, *headings]):
        under: list[Block] = []
        while remaining and remaining[-1].first < end:
            under.append(remaining.pop())
        empty = source.blank(heading.last, end)
        if empty and leads:
            continue
        # Rules alone (`---`) say nothing: they stand with their heading, or they would make a chunk without a word.
        alone = empty or not _WORDS.search(source.text, source.offset(heading.last), source.offset(end))
        first = heading.first if alone else heading.last
        if first < end and not source.blank(first, end):
            found.append(Section(path, tiled(_own(heading, under, alone, end), first, end)))
    return found


def _own(heading: Heading, under: list[Block], alone: bool, end: int) -> list[Block]:
    if alone and heading.level:
        return [Block(Form.PROSE, heading.first, heading.last), *under]
    return under or [Block(Form.CODE, heading.last, end)]


def _outline(source: SourceLines, headings: Sequence[Heading]) -> list[tuple[Heading, HeadingPath, int, bool]]:
    """Each heading with its path, the line where its own text ends, and whether text follows in its subtree."""
    ends = [*(heading.first for heading in headings[1:]), len(source)]
    paths: list[HeadingPath] = []
    open_: list[Heading] = []
    for heading in headings:
        while open_ and open_[-1].level >= heading.level:
            open_.pop()
        open_.append(heading)
        paths.append(tuple(above.title for above in open_ if above.title))
    return list(zip(headings, paths, ends, _leads(source, headings, ends), strict=True))


def _leads(source: SourceLines, headings: Sequence[Heading], ends: Sequence[int]) -> list[bool]:
    leads: list[bool] = []
    text_below = [False] * (_DEEPEST + 1)  # by level: text in the headings that follow and lie deeper
    for heading, end in zip(reversed(headings), reversed(ends), strict=True):
        leads.append(text_below[heading.level])
        text_here = text_below[heading.level] or not source.blank(heading.last, end)
        for level in range(_DEEPEST + 1):
            text_below[level] = level < heading.level and (text_below[level] or text_here)
    return leads[::-1]
