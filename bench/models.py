"""Embedding models that count, or that stand in for a real one while a corpus is filled."""

from collections.abc import Sequence

from ingest.adapters.memory.embedding_model import MemoryEmbeddingModel
from ingest.bootstrap import open_model
from ingest.ports import EmbeddingModel, FloatMatrix, FloatVector, TokenCounter
from ingest.settings import ModelSettings

DIMENSION = 384


def stand_in() -> MemoryEmbeddingModel:
    """Quick and deterministic, with as many dimensions as the default model."""
    return MemoryEmbeddingModel(dimension=DIMENSION)


class Wrapped:
    """The default model. Remembers its inputs; while `filling`, quick vectors are given instead of its own."""

    def __init__(self) -> None:
        self.real: EmbeddingModel = open_model(ModelSettings())
        self._quick = MemoryEmbeddingModel(dimension=self.real.dimension, limit=10_000)
        self.filling = False
        self.inputs: list[str] = []

    @property
    def name(self) -> str:
        return self.real.name

    @property
    def fingerprint(self) -> str:
        return self.real.fingerprint

    @property
    def dimension(self) -> int:
        return self.real.dimension

    @property
    def passage_prompt(self) -> str:
        return self.real.passage_prompt

    @property
    def tokens(self) -> TokenCounter:
        return self.real.tokens

    def embed_passages(self, inputs: Sequence[str]) -> FloatMatrix:
        if self.filling:
            return self._quick.embed_passages(inputs)
        self.inputs.extend(inputs)
        return self.real.embed_passages(inputs)

    def embed_query(self, question: str) -> FloatVector:
        return self.real.embed_query(question)
