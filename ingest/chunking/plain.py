"""Plain text to sections: one, of paragraphs parted by blank lines."""

from ingest.chunking.blocks import Block, Form
from ingest.chunking.lines import SourceLines
from ingest.chunking.sections import Section, sections


def plain_sections(source: SourceLines) -> list[Section]:
    """The one section of a plain text; nothing in it is a heading. None for a blank text."""
    paragraphs: list[Block] = []
    first: int | None = None
    for number, line in enumerate([*source.lines, ""]):
        if not line or line.isspace():
            if first is not None:
                paragraphs.append(Block(Form.PROSE, first, number))
            first = None
        elif first is None:
            first = number
    return sections(source, (), paragraphs)
