"""Fixtures that lend real services to tests.

Where a service is comes from the environment (`LOCKSTEP_TEST_POSTGRES_URL` and so on; `make test` sets them). Without
it the service is started on first use and ends with the test run; `make services` keeps them running in between.
A service that cannot be had is a failure, never a skip. Qdrant alone is optional: it has no package to start, so tests
that use it are collected only where `LOCKSTEP_TEST_QDRANT_URL` says where one is.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from uuid import uuid4

import psycopg
import pytest
from opensearchpy import OpenSearch
from psycopg import sql
from sqlalchemy.engine import make_url

from deploy.dev.errors import DevError
from deploy.dev.services import borrowed
from deploy.dev.state import DEFAULT_FOLDER, State

SERVICE_FIXTURES = {"postgres_url", "opensearch_url", "redis_url", "qdrant_url"}
QDRANT = "LOCKSTEP_TEST_QDRANT_URL"

Lender = Callable[[str], str]


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what uses a service, so that `-m "not services"` never starts one; leave out what needs an absent Qdrant."""
    without_qdrant = []
    for item in items:
        used = SERVICE_FIXTURES.intersection(getattr(item, "fixturenames", ()))
        if used:
            item.add_marker(pytest.mark.services)
        if "qdrant_url" in used and not os.environ.get(QDRANT):
            without_qdrant.append(item)
    if without_qdrant:
        config.hook.pytest_deselected(items=without_qdrant)
        items[:] = [item for item in items if item not in without_qdrant]


@pytest.fixture(scope="session")
def lend() -> Iterator[Lender]:
    """Gives the URL of a service by its name; what had to be started for it ends with the session."""
    with ExitStack() as until_the_end:

        def url(service: str) -> str:
            variable = f"LOCKSTEP_TEST_{service.upper()}_URL"
            if stated := os.environ.get(variable):
                return stated
            try:
                return until_the_end.enter_context(borrowed(State(DEFAULT_FOLDER), [service]))[variable]
            except DevError as error:
                pytest.fail(f"{service} cannot be had, and no {variable} says where one is.\n{error}", pytrace=False)

        yield url


@pytest.fixture(scope="session")
def postgres_url(lend: Lender) -> str:
    """A PostgreSQL server, as a SQLAlchemy URL of a superuser. Tests that write take `postgres_database`."""
    return lend("postgres")


@pytest.fixture(scope="session")
def opensearch_url(lend: Lender) -> str:
    """A node of OpenSearch, shared: each test names its own indexes."""
    return lend("opensearch")


@pytest.fixture(scope="session")
def redis_url(lend: Lender) -> str:
    """A Redis server, shared: each test names its own keys."""
    return lend("redis")


@pytest.fixture(scope="session")
def qdrant_url() -> str:
    """A Qdrant server, shared: each test names its own collections."""
    return os.environ[QDRANT]


@pytest.fixture
def postgres_database(postgres_url: str) -> Iterator[str]:
    """SQLAlchemy URL of an empty database of this test alone; dropped afterwards, with whoever is still connected."""
    server = make_url(postgres_url)
    name = f"test_{uuid4().hex}"
    libpq_url = server.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(libpq_url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield server.set(database=name).render_as_string(hide_password=False)
        finally:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def opensearch_client(opensearch_url: str) -> Iterator[OpenSearch]:
    """A client of the shared node."""
    client = OpenSearch(opensearch_url, timeout=30)
    yield client
    client.close()
