"""A remote model whose server is busy, broken or gone."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from ingest.adapters.openai_compatible.retry_after import retry_after_s
from ingest.errors import ModelBusy, StoreUnavailable
from tests.unit.adapters.embedding_server import EmbeddingServer, Reply

NOW = datetime(2026, 11, 1, 12, 0, 0, tzinfo=UTC)


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as server:
        yield server


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_passing_failure_is_tried_again_after_growing_pauses(server: EmbeddingServer, status: int) -> None:
    server.script = [Reply(status)] * 3
    with server.model() as model:
        assert model.embed_passages(["refund"]).shape == (1, 64)
    assert len(server.requests) == 4
    assert len(server.waits) == 3
    assert all(longest / 2 <= wait <= longest for wait, longest in zip(server.waits, [0.5, 1.0, 2.0], strict=True))


def test_the_server_says_how_long_to_wait_in_seconds(server: EmbeddingServer) -> None:
    server.script = [Reply(429, headers={"retry-after": "7"})]
    with server.model() as model:
        model.embed_passages(["refund"])
    assert server.waits == [7.0]


def test_the_server_says_how_long_to_wait_as_a_date(server: EmbeddingServer) -> None:
    until = datetime.now(UTC) + timedelta(seconds=15)
    server.script = [Reply(503, headers={"retry-after": format_datetime(until, usegmt=True)})]
    with server.model() as model:
        model.embed_passages(["refund"])
    assert 10 < server.waits[0] <= 15


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("-3", None),
        ("12", 12.0),
        ("0.5", 0.5),
        ("9" * 400, 86_400.0),
        ("Sun, 01 Nov 2026 12:00:30 GMT", 30.0),
        ("Sun, 01 Nov 2026 12:00:30", 30.0),
        ("Sun, 01 Nov 2026 11:00:00 GMT", 0.0),
        ("Sun, 01 Nov 2099 11:00:00 GMT", 86_400.0),
    ],
)
def test_retry_after_has_two_forms(header: str | None, seconds: float | None) -> None:
    assert retry_after_s(header, NOW) == seconds


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_stays_busy_is_a_busy_model(server: EmbeddingServer, status: int) -> None:
    server.script = [Reply(status, headers={"retry-after": "5"})] * 4
    with server.model() as model, pytest.raises(ModelBusy) as busy:
        model.embed_passages(["refund"])
    assert busy.value.retry_after_s == 5.0
    assert server.waits == [5.0] * 3


def test_a_pause_that_is_too_long_is_left_to_the_caller(server: EmbeddingServer) -> None:
    server.script = [Reply(429, headers={"retry-after": "600"})]
    with server.model() as model, pytest.raises(ModelBusy) as busy:
        model.embed_passages(["refund"])
    assert busy.value.retry_after_s == 600.0
    assert server.waits == []


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(401), "HTTP 401: check the model's `key`"),
        (Reply(404), "check `base_url` and `model`"),
        (Reply(307, headers={"location": "/elsewhere"}), "HTTP 307"),
        (Reply(200, b"<html>"), "something else than JSON"),
    ],
)
def test_what_no_document_is_to_blame_for_is_an_unavailable_model(
    server: EmbeddingServer, reply: Reply, said: str
) -> None:
    server.script = [reply]
    with server.model() as model, pytest.raises(StoreUnavailable, match=re.escape(said)):
        model.embed_passages(["refund"])
    assert len(server.requests) == 1


def test_a_server_that_is_gone_is_unavailable_after_retries() -> None:
    with EmbeddingServer() as server:
        gone = server.url
    with server.model(base_url=gone) as model, pytest.raises(StoreUnavailable, match="ConnectError") as error:
        model.embed_passages(["refund"])
    assert error.value.host == gone.removeprefix("http://").removesuffix("/v1")
    assert len(server.waits) == 3
