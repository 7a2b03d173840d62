"""Counting and cutting with a `tokenizer.json`."""

import re
from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer

from ingest.adapters.tokenizer.boundary import character_start
from ingest.errors import InputRejected, ModelMissing

_SURROGATE = re.compile("[\ud800-\udfff]")
_CHARACTERS_PER_TOKEN = 16  # of the first window a cut looks at; prose has 4 to 5
_TORN = 200  # characters at the end of a window, where a torn word may look like other tokens (100 are one unknown)


class FileTokenCounter:
    """The `TokenCounter` of a tokenizer file. Whatever truncation and padding the file asks for is switched off."""

    def __init__(self, path: Path, limit: int) -> None:
        """`limit`: tokens one input of the model may have, special tokens included. Raises ModelMissing."""
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception
            raise ModelMissing(f"{path} cannot be read as a tokenizer file: {type(error).__name__}") from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._special = self._tokenizer.num_special_tokens_to_add(is_pair=False)
        self._limit = limit

    @property
    def limit(self) -> int:
        return self._limit

    def count(self, text: str) -> int:
        """See `TokenCounter.count`."""
        return len(self._tokenizer.encode_batch_fast([encodable(text)])[0])

    def cut(self, text: str, limit: int) -> int:
        """See `TokenCounter.cut`."""
        window = max(limit, 1) * _CHARACTERS_PER_TOKEN + _TORN
        while True:
            part = text[:window]
            encoding = self._tokenizer.encode(encodable(part))
            whole = len(part) == len(text)
            if whole and len(encoding) <= limit:
                return len(text)
            special = encoding.special_tokens_mask
            starts = [start for (start, _), added in zip(encoding.offsets, special, strict=True) if not added]
            keep = max(limit - self._special, 0)
            if whole or (keep < len(starts) and starts[keep] < len(part) - _TORN):
                return self._last_fitting(part, starts, keep, limit)
            window *= 2

    def checked_ids(self, inputs: Sequence[str]) -> list[list[int]]:
        """Token ids of complete inputs, special tokens included. Raises InputRejected for one over the limit."""
        encodings = self._tokenizer.encode_batch_fast([encodable(text) for text in inputs])
        ids = [encoding.ids for encoding in encodings]
        for row, tokens in enumerate(ids):
            if len(tokens) > self._limit:
                raise InputRejected(row, f"has {len(tokens)} tokens, the model reads {self._limit}")
        return ids

    def _last_fitting(self, text: str, starts: Sequence[int], keep: int, limit: int) -> int:
        """The start of token `keep` or an earlier one, before which at most `limit` tokens lie, checked by counting
        the prefix: it may be tokenised in another way than the same characters inside the whole text."""
        while keep > 0:
            offset = character_start(text, starts[keep])
            over = self.count(text[:offset]) - limit if offset else 0
            if offset and over <= 0:
                return offset
            keep -= max(over, 1)
        return min(len(text), 1)


def encodable(text: str) -> str:
    """Lone surrogates, which have no UTF-8 form, become the replacement character; offsets stay."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
