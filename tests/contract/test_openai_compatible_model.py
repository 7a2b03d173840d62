"""A remote model keeps the contract, asked over real HTTP on the loopback."""

from collections.abc import Iterator

import pytest

from ingest.adapters.openai_compatible.model import OpenAICompatibleEmbeddingModel
from tests.contract.embedding_model import PASSAGE_PROMPT, QUERY_PROMPT, EmbeddingModelContract
from tests.unit.adapters.embedding_server import EmbeddingServer


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as server:
        yield server


class TestOpenAICompatible(EmbeddingModelContract):
    """The server sends vectors of another length than 1, last input first."""

    @pytest.fixture
    def model(self, server: EmbeddingServer) -> Iterator[OpenAICompatibleEmbeddingModel]:
        with server.model(passage_prompt=PASSAGE_PROMPT, query_prompt=QUERY_PROMPT) as model:
            yield model

    @pytest.fixture
    def bare(self, server: EmbeddingServer) -> Iterator[OpenAICompatibleEmbeddingModel]:
        with server.model() as model:
            yield model
