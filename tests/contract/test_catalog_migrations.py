"""Migrations: they make what `tables.py` says, on both databases; running them again is harmless."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Engine, inspect, select, text

from ingest.catalog.database import Database
from ingest.catalog.migrate import current, head, upgrade
from ingest.catalog.tables import access_clock, metadata, principals
from ingest.errors import SettingsInvalid
from tests.contract.catalog_databases import opened, postgresql_empty


class MigrationContract:
    """What holds on every database. `migrated`: an empty one. `built`: another, to build from `tables.py`."""

    @pytest.fixture
    def migrated(self) -> Iterator[Database]:
        raise NotImplementedError

    @pytest.fixture
    def built(self) -> Iterator[Database]:
        raise NotImplementedError

    def test_the_migrations_make_what_the_tables_say(self, migrated: Database, built: Database) -> None:
        upgrade(migrated)
        with migrated.write() as tx:
            # server defaults are compared below: PostgreSQL cannot compare two JSON defaults with `=`
            context = MigrationContext.configure(tx, opts={"compare_type": True, "compare_server_default": False})
            assert compare_metadata(context, metadata) == []
        metadata.create_all(built.engine)
        assert described(migrated.engine) == described(built.engine)
        # the comparison sees the condition of a partial index
        with built.write() as tx:
            tx.execute(text("DROP INDEX indexing_access_due"))
            tx.execute(text("CREATE INDEX indexing_access_due ON indexing (generation_id, ready_at)"))
        assert described(migrated.engine) != described(built.engine)

    def test_running_twice_changes_nothing(self, migrated: Database) -> None:
        upgrade(migrated)
        before = described(migrated.engine)
        with migrated.write() as tx:
            tx.execute(access_clock.update().values(value=7))
        upgrade(migrated)
        assert described(migrated.engine) == before
        with migrated.read() as tx:
            assert current(tx) == head()
            assert tx.execute(select(access_clock.c.id, access_clock.c.value)).all() == [(1, 7)]

    def test_everybody_is_principal_zero_and_the_clock_starts_at_zero(self, migrated: Database) -> None:
        upgrade(migrated)
        with migrated.read() as tx:
            assert tx.execute(select(principals)).all() == [(0, "public")]
            assert tx.execute(select(access_clock.c.value)).scalars().all() == [0]

    def test_a_newer_catalog_is_refused_and_left_alone(self, migrated: Database) -> None:
        upgrade(migrated)
        with migrated.write() as tx:
            tx.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        with pytest.raises(SettingsInvalid, match=r"revision 9999.*install the version that made it"):
            upgrade(migrated)
        with migrated.read() as tx:
            assert current(tx) == "9999"

    def test_an_empty_database_is_at_no_revision(self, migrated: Database) -> None:
        with migrated.read() as tx:
            assert current(tx) is None


class TestSqlite(MigrationContract):
    @pytest.fixture
    def migrated(self, tmp_path: Path) -> Iterator[Database]:
        with opened(f"sqlite:///{tmp_path}/migrated.db") as database:
            yield database

    @pytest.fixture
    def built(self, tmp_path: Path) -> Iterator[Database]:
        with opened(f"sqlite:///{tmp_path}/built.db") as database:
            yield database


class TestPostgresql(MigrationContract):
    @pytest.fixture
    def migrated(self, postgres_url: str) -> Iterator[Database]:
        with postgresql_empty(postgres_url) as url, opened(url) as database:
            yield database

    @pytest.fixture
    def built(self, postgres_url: str) -> Iterator[Database]:
        with postgresql_empty(postgres_url) as url, opened(url) as database:
            yield database


def described(engine: Engine) -> dict[str, Any]:
    """Columns, constraints and indexes of every table of the catalog, as the database itself tells them."""
    with engine.connect() as connection:
        of = _of_sqlite if connection.dialect.name == "sqlite" else _of_postgresql
        return {name: of(connection, name) for name in inspect(connection).get_table_names() if name in metadata.tables}


def _of_sqlite(tx: Connection, table: str) -> Any:
    inspector = inspect(tx)
    said = text("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = :table AND sql IS NOT NULL")
    return {
        "columns": sorted(tuple(row)[1:] for row in tx.execute(text(f"PRAGMA table_info({table})"))),
        "references": sorted(tuple(row)[2:] for row in tx.execute(text(f"PRAGMA foreign_key_list({table})"))),
        "unique": sorted(tuple(found["column_names"]) for found in inspector.get_unique_constraints(table)),
        "checks": sorted((found["name"], found["sqltext"]) for found in inspector.get_check_constraints(table)),
        "indexes": {row.name: " ".join(row.sql.split()) for row in tx.execute(said, {"table": table})},
    }


def _of_postgresql(tx: Connection, table: str) -> Any:
    columns = text(
        "SELECT attname, format_type(atttypid, atttypmod), attnotnull, collname, pg_get_expr(adbin, adrelid)"
        " FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum"
        " LEFT JOIN pg_collation c ON c.oid = attcollation"
        " WHERE attrelid = CAST(:table AS regclass) AND attnum > 0 AND NOT attisdropped"
    )
    constraints = text(
        "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = CAST(:table AS regclass)"
    )
    indexes = text("SELECT indexname, indexdef FROM pg_indexes WHERE tablename = :table")
    queries = {"columns": columns, "constraints": constraints, "indexes": indexes}
    return {what: {r[0]: tuple(r)[1:] for r in tx.execute(query, {"table": table})} for what, query in queries.items()}
