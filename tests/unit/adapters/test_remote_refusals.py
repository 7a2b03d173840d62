"""A remote model that refuses an input, or answers nonsense for it."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ingest.adapters.memory.embedding_model import MemoryEmbeddingModel
from ingest.errors import InputRejected, StoreUnavailable
from tests.unit.adapters.embedding_server import EmbeddingServer, Reply

TEXTS = [f"text number {number}" for number in range(64)]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as server:
        yield server


def refusing(refuse: Callable[[str], str | None]) -> EmbeddingServer:
    return EmbeddingServer(MemoryEmbeddingModel(limit=100_000, refuse=refuse))


def vectors_of(*rows: Any) -> Reply:
    return Reply(200, {"data": [{"index": index, "embedding": row} for index, row in enumerate(rows)]})


@pytest.mark.parametrize("bad", [0, 1, 31, 63])
def test_a_refused_input_is_found_by_halving(bad: int) -> None:
    with refusing(lambda text: "no" if text == TEXTS[bad] else None) as server, server.model() as model:
        with pytest.raises(InputRejected) as refused:
            model.embed_passages(TEXTS)
        assert refused.value.row == bad
        assert "HTTP 400, invalid_input" in refused.value.reason
        assert len(server.requests) <= 2 * math.log2(64) + 2


def test_rows_are_counted_across_requests() -> None:
    strict = refusing(lambda text: "no" if text == TEXTS[45] else None)
    with strict as server, server.model(request_inputs=20) as model, pytest.raises(InputRejected) as refused:
        model.embed_passages(TEXTS)
    assert refused.value.row == 45


def test_a_request_that_is_only_too_large_is_sent_in_halves(server: EmbeddingServer) -> None:
    server.script = [Reply(413)]
    with server.model() as model:
        assert model.embed_passages(TEXTS).shape == (64, 64)
    assert [len(request.inputs) for request in server.requests] == [64, 32, 32]


def test_no_document_is_blamed_when_any_input_would_be_refused() -> None:
    strict = refusing(lambda _: "never")
    with strict as server, server.model() as model, pytest.raises(StoreUnavailable, match="refuses every input"):
        model.embed_passages(TEXTS)


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        ([1.0, 0.0, 0.0], "the vector has 3 numbers, 4 were expected"),
        ([1.0, float("nan"), 0.0, 0.0], "zero or not finite"),
        ([0.0] * 4, "zero or not finite"),
        ("AAAA", "not a list of numbers"),
        (None, "4 were expected"),
    ],
)
def test_an_unusable_vector_is_blamed_on_its_row(server: EmbeddingServer, second: Any, reason: str) -> None:
    server.script = [vectors_of([1.0, 0.0, 0.0, 0.0], second)]
    with server.model(dimension=4) as model, pytest.raises(InputRejected, match=reason) as refused:
        model.embed_passages(["good", "bad"])
    assert refused.value.row == 1


@pytest.mark.parametrize(
    "body",
    [
        {"data": [{"index": 0, "embedding": [1.0] * 64}]},
        {"data": [{"index": 0, "embedding": [1.0] * 64}] * 2},
        {"data": [{"index": [], "embedding": [1.0] * 64}] * 2},
        {"data": "nothing"},
        ["nothing"],
    ],
)
def test_an_answer_that_does_not_fit_is_asked_for_again_in_halves(server: EmbeddingServer, body: Any) -> None:
    server.script = [Reply(200, body)]
    with server.model() as model, server.model() as other:
        assert (model.embed_passages(TEXTS[:2]) == other.embed_passages(TEXTS[:2])).all()
    assert [len(request.inputs) for request in server.requests] == [2, 1, 1, 2]


def test_a_refusal_quotes_no_text_of_a_document() -> None:
    strict = refusing(lambda text: "no" if "confidential" in text else None)
    with strict as server, server.model() as model, pytest.raises(InputRejected) as refused:
        model.embed_passages(["confidential salary"])
    assert "confidential" not in str(refused.value)
