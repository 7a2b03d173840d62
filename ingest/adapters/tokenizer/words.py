"""A tokenizer for stand-in models: words between white space, long ones in pieces."""

import re

from ingest.adapters.tokenizer.boundary import character_start

SPECIAL_TOKENS = 2
_PIECE = re.compile(r"\S{1,12}")


class WordTokenCounter:
    """A `TokenCounter` that needs no file. A token is at most 12 characters; two special tokens frame each input."""

    def __init__(self, limit: int) -> None:
        """`limit`: tokens one input of the model may have, special tokens included."""
        self._limit = limit

    @property
    def limit(self) -> int:
        return self._limit

    def count(self, text: str) -> int:
        """See `TokenCounter.count`."""
        return SPECIAL_TOKENS + len(_PIECE.findall(text))

    def cut(self, text: str, limit: int) -> int:
        """See `TokenCounter.cut`."""
        room = limit - SPECIAL_TOKENS
        for number, piece in enumerate(_PIECE.finditer(text)):
            if number == room:
                return max(character_start(text, piece.start()), 1)
        return len(text) if room >= 0 else min(len(text), 1)
