"""Bring a catalog to the schema of this version. Running it again changes nothing."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from ingest.catalog.database import Connection, Database
from ingest.errors import SettingsInvalid

_SCRIPTS = Path(__file__).parent / "migrations"
_LOCK = 7_364_016_402
"""Key of PostgreSQL's advisory lock: workers that start together upgrade one after the other."""


def upgrade(database: Database) -> None:
    """Run the migrations that are missing, in one transaction.

    Raises SettingsInvalid when the catalog was made by a newer version, StoreUnavailable when it does not answer.
    """
    with database.write() as tx:
        if tx.dialect.name == "postgresql":
            tx.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
        known = {script.revision for script in ScriptDirectory(str(_SCRIPTS)).walk_revisions()}
        at = current(tx)
        if at is not None and at not in known:
            raise SettingsInvalid(
                f"the catalog at {database.host} is at revision {at}, which this version does not know: "
                f"install the version that made it, or a newer one"
            )
        if at == head():
            return
        config = Config()
        config.set_main_option("script_location", str(_SCRIPTS))
        config.attributes["connection"] = tx
        command.upgrade(config, "head")


def current(tx: Connection) -> str | None:
    """The revision a catalog is at; None for an empty database."""
    return MigrationContext.configure(tx).get_current_revision()


def head() -> str:
    """The newest revision this version knows."""
    revision = ScriptDirectory(str(_SCRIPTS)).get_current_head()
    assert revision is not None  # noqa: S101 -- there is a first one
    return revision
