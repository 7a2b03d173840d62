"""The packaged fp32 model on sentence-transformers keeps the contract, and agrees with its int8 form."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from ingest.adapters.onnx.model import OnnxEmbeddingModel
from ingest.adapters.onnx.presets import MINILM_INT8
from ingest.adapters.sentence_transformers.model import SentenceTransformersEmbeddingModel
from ingest.adapters.sentence_transformers.settings import MINILM
from tests.contract.embedding_model import PASSAGE_PROMPT, QUERY_PROMPT, TEXTS, EmbeddingModelContract

pytestmark = [pytest.mark.torch, pytest.mark.timeout(600)]


@pytest.fixture(scope="module", autouse=True)
def offline() -> Iterator[None]:
    """The model comes from a package: whatever asks a hub is wrong."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        yield


@pytest.fixture(scope="module")
def model() -> SentenceTransformersEmbeddingModel:
    prompts = replace(MINILM, passage_prompt=PASSAGE_PROMPT, query_prompt=QUERY_PROMPT)
    return SentenceTransformersEmbeddingModel(prompts)


@pytest.fixture(scope="module")
def bare() -> SentenceTransformersEmbeddingModel:
    return SentenceTransformersEmbeddingModel(MINILM)


class TestSentenceTransformers(EmbeddingModelContract):
    """The folder comes from a package that is a dependency of Lockstep."""


def test_the_int8_form_gives_nearly_the_same_vectors(bare: SentenceTransformersEmbeddingModel) -> None:
    texts = [*TEXTS, "word " * 200, "Wie lange dauert eine Erstattung?"]
    cosines = (bare.embed_passages(texts) * OnnxEmbeddingModel(MINILM_INT8).embed_passages(texts)).sum(axis=1)
    assert cosines.min() > 0.99


def test_two_forms_of_one_model_have_different_fingerprints(bare: SentenceTransformersEmbeddingModel) -> None:
    assert bare.fingerprint != OnnxEmbeddingModel(MINILM_INT8).fingerprint
