"""The packaged int8 model on ONNX Runtime keeps the contract."""

from dataclasses import replace

import pytest

from ingest.adapters.onnx.model import OnnxEmbeddingModel
from ingest.adapters.onnx.presets import MINILM_INT8
from tests.contract.embedding_model import PASSAGE_PROMPT, QUERY_PROMPT, EmbeddingModelContract


@pytest.fixture(scope="module")
def model() -> OnnxEmbeddingModel:
    return OnnxEmbeddingModel(replace(MINILM_INT8, passage_prompt=PASSAGE_PROMPT, query_prompt=QUERY_PROMPT))


@pytest.fixture(scope="module")
def bare() -> OnnxEmbeddingModel:
    return OnnxEmbeddingModel(MINILM_INT8)


class TestOnnx(EmbeddingModelContract):
    """Weights and tokenizer come from the packages that are dependencies of Lockstep."""
