"""Worlds for the schedules. Tests take `world` (both databases), or one of them where only that one can show it."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from sqlalchemy.engine import make_url

from ingest.catalog import migrate
from ingest.catalog.database import Database
from tests.world import World
from tests.world import fixtures as worlds


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return worlds.migrated_file(tmp_path_factory.mktemp("template") / "catalog.db")


@pytest.fixture(scope="session")
def migrated_postgres(postgres_url: str) -> Iterator[str]:
    """One database for all of these tests: emptying it is ten times quicker than making one."""
    server = make_url(postgres_url)
    name = f"test_{uuid4().hex}"
    libpq_url = server.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(libpq_url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        url = server.set(database=name).render_as_string(hide_password=False)
        try:
            database = Database(url)
            migrate.upgrade(database)
            database.close()
            yield url
        finally:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def sqlite_world(sqlite_template: Path, tmp_path: Path) -> Iterator[World]:
    with worlds.sqlite_world(sqlite_template, tmp_path) as world:
        yield world


@pytest.fixture
def postgres_world(migrated_postgres: str) -> Iterator[World]:
    with worlds.postgres_world(migrated_postgres) as world:
        yield world


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.services)])
def world(request: pytest.FixtureRequest) -> World:
    made: World = request.getfixturevalue(f"{request.param}_world")
    return made
