"""The ONNX embedding model."""

from collections.abc import Sequence
from functools import cached_property
from threading import Lock

import numpy as np

from ingest.adapters.onnx.graph import OnnxGraph
from ingest.adapters.onnx.settings import OnnxModelSettings
from ingest.adapters.tokenizer.batches import padded_batches
from ingest.adapters.tokenizer.counter import FileTokenCounter
from ingest.adapters.weights.digest import file_digest
from ingest.adapters.weights.fingerprint import fingerprint
from ingest.errors import InputRejected
from ingest.ports import FloatMatrix, FloatVector


class OnnxEmbeddingModel:
    """An `EmbeddingModel` on ONNX Runtime. The graph is opened by the first call, or by `load`.

    No lock is held while the graph runs, so a question is answered beside a long list of passages, and what a batch
    needed is released before the next: memory follows `batch_tokens`, not the number of inputs.
    """

    def __init__(self, settings: OnnxModelSettings) -> None:
        """Raises ModelMissing when a file is not there or is not the pinned one."""
        self._settings = settings
        self._weights = settings.weights.locate()
        self._tokenizer = settings.tokenizer.locate()
        self._graph: OnnxGraph | None = None
        self._opening = Lock()

    @property
    def name(self) -> str:
        return self._settings.name

    @property
    def dimension(self) -> int:
        return self._settings.dimension

    @property
    def passage_prompt(self) -> str:
        return self._settings.passage_prompt

    @cached_property
    def fingerprint(self) -> str:
        """See `EmbeddingModel.fingerprint`. Hashes both files on the first use of a process."""
        settings = self._settings
        return fingerprint(
            engine="onnx",
            weights=file_digest(self._weights),
            tokenizer=file_digest(self._tokenizer),
            output=settings.output,
            pooling=settings.pooling,
            normalisation="l2",
            passage_prompt=settings.passage_prompt,
            query_prompt=settings.query_prompt,
            max_tokens=settings.max_tokens,
            numeric_format=settings.numeric_format,
        )

    @cached_property
    def tokens(self) -> FileTokenCounter:
        return FileTokenCounter(self._tokenizer, self._settings.max_tokens)

    def load(self) -> None:
        """Open tokenizer and graph now. Raises ModelMissing or SettingsInvalid."""
        _ = self.tokens
        self._opened()

    def embed_passages(self, inputs: Sequence[str]) -> FloatMatrix:
        """See `EmbeddingModel.embed_passages`. Equal inputs are computed once."""
        vectors = np.empty((len(inputs), self.dimension), dtype=np.float32)
        ids = self.tokens.checked_ids(inputs)
        first: dict[str, int] = {}
        same = [first.setdefault(text, row) for row, text in enumerate(inputs)]
        rows = list(first.values())
        graph = self._opened()
        for batch in padded_batches([len(ids[row]) for row in rows], self._settings.batch_tokens):
            chosen = [rows[at] for at in batch]
            vectors[chosen] = graph.embed([ids[row] for row in chosen])
        _check(vectors, rows)
        return vectors[same]

    def embed_query(self, question: str) -> FloatVector:
        """See `EmbeddingModel.embed_query`."""
        vector: FloatVector = self.embed_passages([self._settings.query_prompt + question])[0]
        return vector

    def _opened(self) -> OnnxGraph:
        with self._opening:
            if self._graph is None:
                self._graph = OnnxGraph(self._weights, self._settings)
            return self._graph


def _check(vectors: FloatMatrix, rows: Sequence[int]) -> None:
    for row in rows:
        if not np.isfinite(vectors[row]).all() or not vectors[row].any():
            raise InputRejected(row, "the model gives no usable vector for it")
