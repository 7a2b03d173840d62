"""Token counters for tests: one that can be followed by hand, and the tokenizer of the default model."""

import re

from ingest.adapters.onnx.presets import MINILM_TOKENIZER
from ingest.adapters.tokenizer.counter import FileTokenCounter
from ingest.ports import TokenCounter

_TOKEN = re.compile(r"\w+|[^\w\s]")


class WordCounter:
    """Counts words and signs, and two special tokens. A line end of its own (`joins`) makes it hard to add up."""

    def __init__(self, limit: int, *, joins: bool = False) -> None:
        self.limit = limit
        self._pattern = re.compile(r"\w+|[^\w\s]|\n") if joins else _TOKEN

    def count(self, text: str) -> int:
        return 2 + sum(1 for _ in self._pattern.finditer(text))

    def cut(self, text: str, limit: int) -> int:
        starts = [match.start() for match in self._pattern.finditer(text)]
        return max(1, starts[max(0, limit - 2)]) if len(starts) > limit - 2 else len(text)


class CharacterCounter:
    """One token a character that is not blank: the least convenient, since long words are many tokens."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def count(self, text: str) -> int:
        return 2 + sum(map(len, text.split()))

    def cut(self, text: str, limit: int) -> int:
        filled = [at for at, character in enumerate(text) if not character.isspace()]
        return max(1, filled[max(0, limit - 2)]) if len(filled) > limit - 2 else len(text)


def minilm_counter(limit: int = 256) -> TokenCounter:
    """The tokens of the default model."""
    return FileTokenCounter(MINILM_TOKENIZER.locate(), limit)
