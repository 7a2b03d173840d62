"""A source text by its lines, as Markdown counts them."""

from itertools import accumulate


class SourceLines:
    """Lines end at `\\n` alone: form feeds, vertical tabs and U+2028 stand inside lines, unlike in str.splitlines.

    Line numbers count from 0 and ranges are half open, as in the source maps of markdown-it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self.lines)]

    def __len__(self) -> int:
        return len(self.lines)

    def offset(self, line: int) -> int:
        """Where a line begins; the end of the text for the line after the last."""
        return min(self._starts[line], len(self.text))

    def blank(self, first: int, last: int) -> bool:
        """Whether lines first..last hold nothing but white space."""
        return not any(line and not line.isspace() for line in self.lines[first:last])


def normalised(text: str) -> str:
    """Line ends as markdown-it counts them; does nothing to a text that was read by a source of ours."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def without_blank_edges(text: str, start: int, end: int) -> tuple[int, int]:
    """Narrow text[start:end] by blank lines at both edges, keeping whole lines wherever it begins or ends at one."""
    piece = text[start:end]
    words = piece.strip()
    if not words:
        return start, start
    lead = len(piece) - len(piece.lstrip())
    first = start + (piece.rfind("\n", 0, lead) + 1)
    if first == start and start > 0 and text[start - 1] != "\n":
        first = start + lead  # a cut inside a line: the blanks after it belong to nobody
    last = start + lead + len(words)
    line_end = text.find("\n", last, end)
    if line_end == -1 and (end == len(text) or text[end] == "\n"):
        line_end = end
    return first, last if line_end == -1 else line_end
