"""Each development service answers at the URL that tests are given."""

import socket
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest
from opensearchpy import OpenSearch
from sqlalchemy import create_engine, text

pytestmark = pytest.mark.services


def test_postgres_is_new_enough_and_speaks_utf8(postgres_database: str) -> None:
    engine = create_engine(postgres_database)
    with engine.connect() as connection:
        version = connection.execute(text("SHOW server_version_num")).scalar_one()
        encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
        lowered = connection.execute(text("SELECT lower('ÄÖÜ')")).scalar_one()
    engine.dispose()
    assert (int(version) >= 150_000, encoding, lowered) == (True, "UTF8", "äöü")


def test_a_test_database_is_empty_and_its_own(postgres_database: str) -> None:
    with psycopg.connect(postgres_database.replace("+psycopg", "")) as connection:
        tables = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
        connection.execute("CREATE TABLE left_behind ()")  # the next test's database must not show it
    assert tables == (0,)


def test_the_next_test_database_is_empty_too(postgres_database: str) -> None:
    test_a_test_database_is_empty_and_its_own(postgres_database)


def test_opensearch_finds_a_document_once_it_is_refreshed(opensearch_client: OpenSearch) -> None:
    index = f"test-{uuid4().hex}"
    opensearch_client.indices.create(index=index, body={"settings": {"number_of_replicas": 0}})
    try:
        opensearch_client.index(index=index, body={"text": "refund window"}, id="r1", refresh="wait_for")
        found = opensearch_client.search(index=index, body={"query": {"match": {"text": "refund"}}})
    finally:
        opensearch_client.indices.delete(index=index)
    assert [hit["_id"] for hit in found["hits"]["hits"]] == ["r1"]


def test_redis_wants_the_password_and_then_answers(redis_url: str) -> None:
    where = urlsplit(redis_url)
    with socket.create_connection((where.hostname, where.port or 6379), timeout=5) as connection:
        replies = connection.makefile("rb")
        if where.password:
            connection.sendall(b"PING\r\n")
            assert replies.readline().startswith(b"-NOAUTH")
            connection.sendall(f"AUTH {where.password}\r\n".encode())
            assert replies.readline() == b"+OK\r\n"
        connection.sendall(b"PING\r\n")
        assert replies.readline() == b"+PONG\r\n"
        replies.close()


def test_qdrant_answers(qdrant_url: str) -> None:
    where = urlsplit(qdrant_url)
    with socket.create_connection((where.hostname, where.port or 6333), timeout=5) as connection:
        connection.sendall(b"GET /readyz HTTP/1.0\r\n\r\n")
        assert connection.recv(64).split()[1] == b"200"
