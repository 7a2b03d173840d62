"""The catalog on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.catalog.database import Database
from tests.contract.catalog import CatalogContract
from tests.contract.catalog_databases import emptied, postgresql_migrated, sqlite_copy, sqlite_template
from tests.contract.catalog_rows import Catalog


@pytest.fixture(scope="module")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sqlite_template(tmp_path_factory.mktemp("catalog"))


@pytest.fixture(scope="module")
def migrated_database(postgres_url: str) -> Iterator[Database]:
    with postgresql_migrated(postgres_url) as database:
        yield database


class TestSqlite(CatalogContract):
    @pytest.fixture
    def catalog(self, migrated_file: Path, tmp_path: Path) -> Iterator[Catalog]:
        with sqlite_copy(migrated_file, tmp_path) as database:
            yield Catalog(database)


class TestPostgresql(CatalogContract):
    @pytest.fixture
    def catalog(self, migrated_database: Database) -> Catalog:
        return Catalog(emptied(migrated_database))
