"""The remote embedding model."""

import time
from collections.abc import Callable, Sequence
from functools import cached_property

import httpx
import numpy as np

from ingest.adapters.openai_compatible.answer import AnswerUnusable, read_answer
from ingest.adapters.openai_compatible.settings import OpenAICompatibleModelSettings
from ingest.adapters.openai_compatible.transport import EmbeddingTransport, RequestRefused
from ingest.adapters.tokenizer.batches import counted_batches
from ingest.adapters.tokenizer.counter import FileTokenCounter
from ingest.adapters.weights.fingerprint import fingerprint
from ingest.errors import InputRejected, StoreUnavailable
from ingest.ports import FloatMatrix, FloatVector

_HARMLESS_INPUT = "lockstep"


class OpenAICompatibleEmbeddingModel:
    """An `EmbeddingModel` behind `/v1/embeddings`. Vectors are brought to length 1, whatever the server sends."""

    def __init__(
        self,
        settings: OpenAICompatibleModelSettings,
        *,
        client: httpx.Client | None = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        """`wait` sleeps for seconds between attempts. Nothing is sent yet. Raises ModelMissing when the tokenizer
        file is not there."""
        self._settings = settings
        self._client = client or httpx.Client()
        self._transport = EmbeddingTransport(settings, self._client, wait)
        self._tokens = FileTokenCounter(settings.tokenizer.locate(), settings.max_tokens)

    @property
    def name(self) -> str:
        return self._settings.model

    @property
    def dimension(self) -> int:
        return self._settings.dimension

    @property
    def passage_prompt(self) -> str:
        return self._settings.passage_prompt

    @cached_property
    def fingerprint(self) -> str:
        """See `EmbeddingModel.fingerprint`. Not of the address: the same model may move to another server."""
        return fingerprint(
            engine="openai-compatible",
            weights=self._settings.model,
            revision=self._settings.revision,
            pooling="the server's",
            normalisation="l2",
            passage_prompt=self._settings.passage_prompt,
            query_prompt=self._settings.query_prompt,
            max_tokens=self._settings.max_tokens,
            dimension=self._settings.dimension,
            numeric_format="float",
        )

    @property
    def tokens(self) -> FileTokenCounter:
        return self._tokens

    def embed_passages(self, inputs: Sequence[str]) -> FloatMatrix:
        """See `EmbeddingModel.embed_passages`."""
        lengths = [len(ids) for ids in self._tokens.checked_ids(inputs)]
        vectors = np.empty((len(inputs), self.dimension), dtype=np.float32)
        for rows in counted_batches(lengths, self._settings.request_tokens, self._settings.request_inputs):
            self._embed(inputs, rows, vectors)
        return vectors

    def embed_query(self, question: str) -> FloatVector:
        """See `EmbeddingModel.embed_query`."""
        vector: FloatVector = self.embed_passages([self._settings.query_prompt + question])[0]
        return vector

    def close(self) -> None:
        """Release the connections."""
        self._client.close()

    def _embed(self, inputs: Sequence[str], rows: Sequence[int], vectors: FloatMatrix) -> None:
        """Fill the rows. What is refused together is asked for in halves, until one input is to blame or none."""
        try:
            answer = self._transport.post([inputs[row] for row in rows])
            vectors[rows] = read_answer(answer, len(rows), self.dimension)
        except (RequestRefused, AnswerUnusable) as refusal:
            blamed = refusal.row if isinstance(refusal, AnswerUnusable) else None
            if blamed is not None:
                raise InputRejected(rows[blamed], str(refusal)) from None
            if len(rows) == 1:
                self._refuse_harmless(str(refusal))
                raise InputRejected(rows[0], f"the server refuses it ({refusal})") from None
            half = len(rows) // 2
            self._embed(inputs, rows[:half], vectors)
            self._embed(inputs, rows[half:], vectors)

    def _refuse_harmless(self, reason: str) -> None:
        """Raise StoreUnavailable when any input would be refused: then no document is to blame, but the settings."""
        try:
            read_answer(self._transport.post([self._settings.passage_prompt + _HARMLESS_INPUT]), 1, self.dimension)
        except (RequestRefused, AnswerUnusable):
            raise StoreUnavailable(
                f"the embedding model {self.name}", self._settings.host, f"it refuses every input: {reason}"
            ) from None
