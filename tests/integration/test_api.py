"""The loopback API: a token, a loopback Host, and the errors of operations as status codes."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from ingest.errors import StoreUnavailable
from tests.integration.opened import Opened, opened
from worker.api.app import create_app

TOKEN = "a token of this test"  # noqa: S105 -- opens nothing outside it


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with opened(tmp_path_factory.mktemp("api")) as installation:
        yield installation


@pytest.fixture
def api(installation: Opened) -> Iterator[TestClient]:
    with TestClient(create_app(installation.lockstep, TOKEN), base_url="http://127.0.0.1:4711") as client:
        client.headers["Authorization"] = f"Bearer {TOKEN}"
        yield client


def test_an_operation_answers_with_json(api: TestClient) -> None:
    reply = api.post("/v1/search", json={"question": "topic000", "callers": ["public"]})
    assert reply.status_code == 200
    assert reply.json()["hits"][0]["document"] == "open/topic000.md"


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer wrong", TOKEN, f"Basic {TOKEN}", "Bearer \xe9"])
def test_without_the_token_nothing_is_said(api: TestClient, header: str) -> None:
    reply = api.post("/v1/status", json={}, headers={b"Authorization": header.encode("latin-1")})
    assert reply.status_code == 401
    assert "documents" not in reply.text


@pytest.mark.parametrize("host", ["evil.example", "evil.example:4711", "127.0.0.1.evil.example", "10.0.0.1", ""])
def test_a_host_that_is_not_the_loopback_is_refused_even_with_the_token(api: TestClient, host: str) -> None:
    assert api.post("/v1/status", json={}, headers={"Host": host}).status_code in {400, 403, 421}


@pytest.mark.parametrize("host", ["127.0.0.1:4711", "localhost:4711", "[::1]:4711", "localhost"])
def test_loopback_hosts_are_served(api: TestClient, host: str) -> None:
    assert api.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    ("operation", "parameters", "names"),
    [
        ("search", {}, "question"),
        ("search", {"question": "x", "limits": 3}, "limits"),
        ("search", {"question": "x", "callers": "ann"}, "callers"),
        ("search", {"question": "x", "callers": ["ann"]}, "ann"),
        ("search", {"question": "x", "limit": 0}, "1"),
        ("search", {"question": "x", "filters": {"colour": ["red"]}}, "colour"),
        ("show", {"document": "no/such.md"}, "no/such.md"),
        ("explode", {}, "explode"),
    ],
)
def test_what_cannot_be_done_is_refused_with_one_line_that_names_it(
    api: TestClient, operation: str, parameters: dict[str, Any], names: str
) -> None:
    reply = api.post(f"/v1/{operation}", json=parameters)
    assert 400 <= reply.status_code < 500
    message = reply.json()["error"]
    assert names in message
    assert "\n" not in message


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"3"])
def test_a_body_that_is_no_json_object_is_refused(api: TestClient, body: bytes) -> None:
    reply = api.post("/v1/status", content=body, headers={"Content-Type": "application/json"})
    assert 400 <= reply.status_code < 500
    assert isinstance(reply.json()["error"], str)


def test_a_store_that_is_down_is_said_to_be_unavailable(api: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def down(*_: object) -> None:
        raise StoreUnavailable("the vector index", "nowhere:1")

    monkeypatch.setattr("worker.api.app.perform", down)
    reply = api.post("/v1/search", json={"question": "topic000"})
    assert reply.status_code == 503
    assert reply.json()["kind"] == "StoreUnavailable"
    assert "nowhere:1" in reply.json()["error"]


def test_whatever_breaks_says_nothing_of_documents(api: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("words of a document")

    monkeypatch.setattr("worker.api.app.perform", broken)
    reply = api.post("/v1/status", json={})
    assert reply.status_code == 500
    assert "words of a document" not in reply.text
    assert isinstance(reply.json()["error"], str)
