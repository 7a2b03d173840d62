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
from tests.fault.rig import GUARDED
from tests.world import World
from tests.world import fixtures as worlds


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What a missing guard does is shown on one database: on SQLite, unless PostgreSQL alone can show it."""
    twice = [item for item in items if _shown_on_sqlite(item)]
    if twice:
        config.hook.pytest_deselected(items=twice)
        items[:] = [item for item in items if item not in twice]


def _shown_on_sqlite(item: pytest.Item) -> bool:
    chosen = getattr(getattr(item, "callspec", None), "params", {})
    return chosen.get("world") == "postgres" and chosen.get("guard", GUARDED) != GUARDED


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return worlds.migrated_file(tmp_path_factory.mktemp("template") / "catalog.db")


@pytest.fixture(scope="session")
def migrated_postgres(postgres_url: str) -> Iterator[Database]:
    """One database for all of these tests: emptying it is ten times quicker than making one."""
    server = make_url(postgres_url)
    name = f"test_{uuid4().hex}"
    libpq_url = server.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(libpq_url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        url = server.set(database=name).render_as_string(hide_password=False)
        try:
            database = worlds.quick(url)
            migrate.upgrade(database)
            yield database
            database.close()
        finally:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def sqlite_catalog(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return worlds.quick(f"sqlite:///{tmp_path_factory.mktemp('world') / 'catalog.db'}")


@pytest.fixture
def sqlite_world(sqlite_template: Path, sqlite_catalog: Database) -> Iterator[World]:
    with worlds.sqlite_world(sqlite_template, sqlite_catalog) as world:
        yield world


@pytest.fixture
def postgres_world(migrated_postgres: Database) -> Iterator[World]:
    with worlds.postgres_world(migrated_postgres) as world:
        yield world


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.services)])
def world(request: pytest.FixtureRequest) -> World:
    made: World = request.getfixturevalue(f"{request.param}_world")
    return made
