"""The stand-in model keeps the contract."""

import pytest

from ingest.adapters.memory.embedding_model import MemoryEmbeddingModel
from tests.contract.embedding_model import PASSAGE_PROMPT, QUERY_PROMPT, EmbeddingModelContract


class TestMemory(EmbeddingModelContract):
    @pytest.fixture
    def model(self) -> MemoryEmbeddingModel:
        return MemoryEmbeddingModel(passage_prompt=PASSAGE_PROMPT, query_prompt=QUERY_PROMPT)

    @pytest.fixture
    def bare(self) -> MemoryEmbeddingModel:
        return MemoryEmbeddingModel()
