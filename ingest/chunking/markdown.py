"""Markdown (CommonMark and tables) to sections, by source lines: nothing is ever rendered."""

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ingest.chunking.blocks import Block, Form
from ingest.chunking.lines import SourceLines
from ingest.chunking.sections import Heading, Section, sections

_LEAVES = {
    "paragraph_open": Form.PROSE,
    "heading_open": Form.PROSE,
    "fence": Form.CODE,
    "code_block": Form.CODE,
    "html_block": Form.CODE,
}
_GROUPS = frozenset({"bullet_list_open", "ordered_list_open", "list_item_open", "blockquote_open"})
_ATX = re.compile(r"[ \t]*#{1,6}(?P<title>.*)", re.DOTALL)
_CLOSING_MARKS = re.compile(r"(?:^|[ \t])#+$")


def markdown_sections(source: SourceLines) -> list[Section]:
    """The sections of a Markdown text. Only headings outside quotes and lists open one."""
    headings: list[Heading] = []
    blocks: list[Block] = []
    tokens = _parse(source.text)
    at = 0
    while at < len(tokens):
        if tokens[at].type == "heading_open":
            headings.append(_heading(source, tokens[at]))
            at = _after(tokens, at)
        else:
            at = _read(tokens, at, blocks)
    return sections(source, headings, blocks)


def _parse(text: str) -> Sequence[Token]:
    # A parser of its own for each text: rule caches and nesting levels of one are nobody else's (scenario F08).
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])  # what stands inside a line is never looked at
    return parser.parse(text)


def _read(tokens: Sequence[Token], at: int, into: list[Block]) -> int:
    """Append the block that begins at a token, if it is one, and return the token after it."""
    token = tokens[at]
    if token.map is None or token.type == "hr":
        return at + 1
    first, last = token.map
    if token.type in _LEAVES:
        into.append(Block(_LEAVES[token.type], first, last))
        return _after(tokens, at) if token.nesting == 1 else at + 1
    after = _after(tokens, at)
    parts: list[Block] = []
    if token.type == "table_open":
        into.append(Block(Form.GROUP, first, last, _rows(tokens[at:after], first)))
    elif token.type in _GROUPS:
        at += 1
        while at < after:
            at = _read(tokens, at, parts)
        into.append(Block(Form.GROUP if parts else Form.CODE, first, last, tuple(parts)))
    return after


def _rows(table: Sequence[Token], first: int) -> tuple[Block, ...]:
    """Rows that need the header before them; the first stands with the header itself."""
    header = (first, first + 2)
    lines = [token.map for token in table if token.type == "tr_open" and token.map]
    rows = [Block(Form.ROW, begin, end, (), header) for begin, end in lines[1:]]
    titles = Block(Form.CODE, *header)
    if not rows:
        return (titles,)
    return (Block(Form.GROUP, first, rows[0].last, (titles, rows[0])), *rows[1:])


def _after(tokens: Sequence[Token], at: int) -> int:
    """The token after the one that closes what opens at `at`."""
    level = tokens[at].level
    at += 1
    while tokens[at].nesting != -1 or tokens[at].level != level:
        at += 1
    return at + 1


def _heading(source: SourceLines, token: Token) -> Heading:
    # From the source and not from the token's content: the parser replaces NUL.
    first, last = token.map or (0, 0)
    if token.markup in {"=", "-"}:
        title = " ".join(line.strip() for line in source.lines[first : last - 1])
    else:
        atx = _ATX.match(source.lines[first])
        title = _CLOSING_MARKS.sub("", (atx["title"] if atx else "").rstrip(" \t")).strip()
    return Heading(int(token.tag[1]), title, first, last)
