"""A stand-in embedding model: deterministic, quick, and strict about its inputs."""

import hashlib
import os
import re
from collections import Counter, deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ingest.adapters.tokenizer.words import WordTokenCounter
from ingest.errors import InputRejected
from ingest.model.chunk import hash_input
from ingest.ports import FloatMatrix, FloatVector

_WORD = re.compile(r"\w+")


class MemoryEmbeddingModel:
    """Texts that share words are near each other: a vector is the sum of pseudo-random vectors of its words.

    It refuses what some real model refuses: blank inputs and inputs over the limit.
    """

    def __init__(
        self,
        *,
        name: str = "memory",
        weights: str = "memory",
        dimension: int = 64,
        limit: int = 256,
        passage_prompt: str = "",
        query_prompt: str = "",
        call_log: Path | None = None,
        refuse: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        """`weights` seeds the words' vectors. `call_log` gets one line `role input-hash` per input, and keeps it when
        the process is killed. `refuse` sees every input: it returns why that one is refused, or raises what the whole
        call shall raise (ModelBusy, …)."""
        self._name = name
        self._weights = weights
        self._dimension = dimension
        self._passage_prompt = passage_prompt
        self._query_prompt = query_prompt
        self._refuse = refuse
        self._tokens = WordTokenCounter(limit)
        self._log = call_log
        self._counting = Lock()
        self.calls = 0
        self.inputs = 0
        self.recent: deque[str] = deque(maxlen=1_000)
        """The newest inputs exactly as the model got them, prompts included."""

    @property
    def name(self) -> str:
        return self._name

    @property
    def fingerprint(self) -> str:
        prompts = (self._passage_prompt, self._query_prompt)
        shapes = repr((self._weights, self._dimension, self._tokens.limit, prompts))
        return hashlib.sha256(shapes.encode()).hexdigest()[:40]

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def passage_prompt(self) -> str:
        return self._passage_prompt

    @property
    def tokens(self) -> WordTokenCounter:
        return self._tokens

    def embed_passages(self, inputs: Sequence[str]) -> FloatMatrix:
        """See `EmbeddingModel.embed_passages`."""
        return self._embed("passage", inputs)

    def embed_query(self, question: str) -> FloatVector:
        """See `EmbeddingModel.embed_query`."""
        vector: FloatVector = self._embed("query", [self._query_prompt + question])[0]
        return vector

    def _embed(self, role: str, inputs: Sequence[str]) -> FloatMatrix:
        self._note(role, inputs)
        for row, text in enumerate(inputs):
            self._check(row, text)
        vectors = np.empty((len(inputs), self._dimension), dtype=np.float32)
        for row, text in enumerate(inputs):
            vectors[row] = self._direction(text)
        return vectors

    def _note(self, role: str, inputs: Sequence[str]) -> None:
        lines = [f"{role} {hash_input(text)}\n" for text in inputs] if self._log else []
        with self._counting:
            self.calls += 1
            self.inputs += len(inputs)
            self.recent.extend(inputs)
            if self._log:
                _append(self._log, "".join(lines))

    def _check(self, row: int, text: str) -> None:
        if not text.strip():
            raise InputRejected(row, "is blank")
        if (count := self._tokens.count(text)) > self._tokens.limit:
            raise InputRejected(row, f"has {count} tokens, the model reads {self._tokens.limit}")
        if reason := self._refuse(text):
            raise InputRejected(row, reason)

    def _direction(self, text: str) -> NDArray[np.float64]:
        words = Counter(_WORD.findall(text.casefold())) or Counter([text.strip()])
        vectors = np.stack([_word_vector(self._weights, word, self._dimension) for word in words])
        total = np.array(list(words.values()), dtype=np.float64) @ vectors  # whole numbers: exact in any order
        if not total.any():
            total[0] = 1.0  # words that cancel out still need a direction
        direction: NDArray[np.float64] = total / np.linalg.norm(total)
        return direction


@lru_cache(maxsize=16_384)
def _word_vector(weights: str, word: str, dimension: int) -> NDArray[np.int8]:
    said = f"{weights}\x1f{word}".encode("utf-8", "surrogatepass")
    return np.frombuffer(hashlib.shake_128(said).digest(dimension), dtype=np.int8)


def _append(path: Path, lines: str) -> None:
    # One write to a file opened for appending is whole even if the process is killed right after it.
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(file, lines.encode())
    finally:
        os.close(file)
