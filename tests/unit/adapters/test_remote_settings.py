"""What goes to a remote model, and what its settings allow."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from ingest.adapters.onnx.presets import MINILM_TOKENIZER
from ingest.adapters.openai_compatible.settings import OpenAICompatibleModelSettings
from ingest.errors import LockstepError, ModelMissing, SettingsInvalid
from tests.unit.adapters.embedding_server import EmbeddingServer, Reply

KEY = "sk-very-secret-0042"
TEXTS = [f"text number {number}" for number in range(64)]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as server:
        yield server


def test_prompts_go_out_exactly_and_only_in_their_role(server: EmbeddingServer) -> None:
    with server.model(passage_prompt="passage: ", query_prompt="query: ") as model:
        model.embed_passages(["passage: refund"])
        model.embed_query("refund")
    assert [request.inputs for request in server.requests] == [["passage: refund"], ["query: refund"]]
    assert {request.path for request in server.requests} == {"/v1/embeddings"}


def test_requests_hold_both_limits(server: EmbeddingServer) -> None:
    with server.model(request_inputs=10, request_tokens=30) as model:
        vectors = model.embed_passages(TEXTS)
    assert vectors.shape == (64, 64)
    assert {len(request.inputs) for request in server.requests[:-1]} == {6}  # of 5 tokens each


def test_lone_surrogates_can_be_sent(server: EmbeddingServer) -> None:
    with server.model() as model:
        model.embed_passages(["a \ud800 b"])
    assert server.requests[0].inputs == ["a \ufffd b"]


def test_the_key_is_sent_and_shows_nowhere(server: EmbeddingServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.script = [Reply(401, {"error": {"code": "invalid_api_key", "message": f"wrong key {KEY}"}})]
    server.script += [Reply(400, {"error": {"code": KEY, "message": KEY}})] * 2
    server.script += [Reply(503, KEY.encode())] * 4
    errors: list[LockstepError] = []
    with server.model(key=KEY) as model:
        for _ in range(3):
            with pytest.raises(LockstepError) as raised:
                model.embed_passages(["refund"])
            errors.append(raised.value)
    assert {request.headers["Authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    assert all(error.__cause__ is None for error in errors)
    assert KEY not in f"{errors!r} {caplog.text} {model._settings!r}"


@pytest.mark.parametrize(
    "changed",
    [
        {"base_url": "ftp://host/v1"},
        {"base_url": "http://host:port/v1"},
        {"base_url": "http://user:hunter2@host/v1"},
        {"base_url": "http://host/v1?api-key=hunter2"},
        {"key": "hunter2\n"},
    ],
)
def test_settings_that_would_leak_or_fail_are_refused(changed: dict[str, str]) -> None:
    given: dict[str, Any] = {"base_url": "http://host/v1", "model": "m", "tokenizer": MINILM_TOKENIZER, **changed}
    with pytest.raises(SettingsInvalid) as refused:
        OpenAICompatibleModelSettings(**given, dimension=4, max_tokens=8)
    assert "hunter2" not in str(refused.value)


def test_the_tokenizer_file_has_to_be_there(server: EmbeddingServer) -> None:
    absent = type(MINILM_TOKENIZER)(MINILM_TOKENIZER.origin, "no-tokenizer.json")
    with pytest.raises(ModelMissing, match=r"no-tokenizer\.json"), server.model(tokenizer=absent):
        pass


def test_the_fingerprint_goes_by_the_servers_name_and_not_by_its_address(server: EmbeddingServer) -> None:
    with server.model() as model, server.model(base_url="http://moved/v1", key="new") as moved:
        assert model.fingerprint == moved.fingerprint
    for changed in ({"model": "other"}, {"revision": "2"}, {"max_tokens": 128}, {"query_prompt": "query: "}):
        with server.model(**changed) as other:
            assert other.fingerprint != model.fingerprint
