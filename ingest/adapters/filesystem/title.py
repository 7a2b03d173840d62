"""What a document is called when it does not say so itself."""

import re

from ingest.adapters.filesystem.front_matter import MAX_TITLE_CHARACTERS
from ingest.adapters.filesystem.metadata import tidy
from ingest.model.source import Media

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_PARAGRAPH = re.compile(r" {0,3}[^\s>*+|#-]")


def title_of(text: str, *, media: Media, name: str) -> str:
    """The first heading of a Markdown text that has words in it; else the file's name."""
    heading = _first_heading(text) if media == "markdown" else ""
    return tidy(heading, MAX_TITLE_CHARACTERS) or name


def _first_heading(text: str) -> str:
    fence, before = "", ""
    for line in _lines(text):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip(" \t`~"):
                fence = ""
        elif mark:
            fence = mark[1]
        elif (found := _HEADING.match(line)) and found[1]:
            return found[1]
        elif before and _UNDERLINE.match(line):
            return before.strip()
        before = line if not fence and _PARAGRAPH.match(line) else ""
    return ""


def _lines(text: str) -> list[str]:
    return text[:100_000].split("\n")  # a heading that comes later names nothing
