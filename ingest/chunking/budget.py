"""What fits into one embedding input, in the model's own tokens."""

from bisect import bisect_left

from ingest.chunking.words import break_long_words, break_points
from ingest.model.chunk import HeadingPath, heading_line
from ingest.ports import TokenCounter

_SURELY_OVER = 8
"""Letters per token that no known language reaches. Text beyond is not counted whole, only its parts are."""

# How much of a long line is looked at first for a chunk's worth of it, in letters per token.
_USUAL, _DENSE, _SAMPLE = 6, 2, 64


class Budget:
    """Counts for one model. Sizes are tokens without the special ones; they add up only nearly, so that a finished
    input is counted again as a whole."""

    def __init__(self, tokens: TokenCounter, prompt: str) -> None:
        self._tokens = tokens
        self._special = tokens.count("")
        self._prompt_size = tokens.count(prompt) - self._special
        self._join = max(0, tokens.count("a\n\nb") - tokens.count("a") - tokens.count("b") + self._special)
        self.limit = tokens.limit

    def size(self, text: str) -> int:
        """Tokens that a text adds to an input."""
        return self._tokens.count(break_long_words(text)) - self._special + self._join

    def excess(self, complete_input: str) -> int:
        """By how many tokens a complete input is too long; 0 or less when it fits."""
        return self._tokens.count(complete_input) - self.limit

    def surely_over(self, text: str) -> bool:
        """Whether a text is so long that counting it would be a waste."""
        most = _SURELY_OVER * self.limit
        return len(text) > most and sum(map(len, text.split())) > most

    def room(self, path: HeadingPath) -> int:
        """Tokens left for the text under an embedded path."""
        used = self._prompt_size + (self.size(heading_line(path)) + self._join if path else 0)
        return max(1, self.limit - self._special - used)

    def cut(self, text: str, start: int, room: int) -> int:
        """The largest offset with text[start:offset] within `room` tokens, looking no further than needed."""
        limit = max(1, room) + self._special
        most = _SURELY_OVER * self.limit
        width = min(most, room * (_USUAL if text[start : start + _SAMPLE].isascii() else _DENSE))
        while (near := text[start : start + width]) and width < most and start + width < len(text):
            if (offset := self._cut(near, limit)) < len(near):
                return start + offset
            width = min(most, 2 * width)
        return start + self._cut(near, limit)

    def _cut(self, text: str, limit: int) -> int:
        offset = self._tokens.cut(break_long_words(text), limit)
        spaces_before = bisect_left([point + number for number, point in enumerate(break_points(text))], offset)
        return min(len(text), max(1, offset - spaces_before))

    def embedded(self, path: HeadingPath, most: int) -> HeadingPath:
        """The inner end of a heading path that takes at most `most` tokens; the innermost alone is cut to fit."""
        while path and self.size(heading_line(path)) > most:
            if len(path) == 1:
                title = path[0]
                return (title[: self.cut(title, 0, most - self._join)].rstrip(),)
            path = path[1:]
        return path
