"""A restored backup knows the access of then: nobody reads until every source has been scanned (docs/operations.md)."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ingest.bootstrap import bootstrap
from tests.integration.library import Library, Rules
from tests.integration.opened import Opened
from tests.integration.watched import differences, edited, model_of, new_library, settings_of

KEY = "open/topic000.md"


def back_up_all(data: Path, backup: Path) -> None:
    shutil.copytree(data, backup)


def restore_all(backup: Path, data: Path) -> None:
    shutil.rmtree(data)
    shutil.copytree(backup, data)


def back_up_catalog(data: Path, backup: Path) -> None:
    with closing(sqlite3.connect(data / "catalog.db")) as source, closing(sqlite3.connect(backup)) as copy:
        source.backup(copy)


def restore_catalog(backup: Path, data: Path) -> None:
    for rest in ("catalog.db-wal", "catalog.db-shm"):
        (data / rest).unlink(missing_ok=True)
    shutil.copy(backup, data / "catalog.db")


def change_everything(library: Library) -> None:
    """After the backup: a revocation, an edit, a deletion, a leave."""
    library.rules["spare"] = Rules(allow=set())
    library.write_rules("spare")
    library.write(KEY, edited(library.topics[KEY], 1))
    library.delete("open/topic004.md")
    library.groups["staff"] = set()
    library.write_groups()


@pytest.mark.parametrize(
    ("back_up", "restore"), [(back_up_all, restore_all), (back_up_catalog, restore_catalog)], ids=["folder", "catalog"]
)
def test_after_a_restore_nobody_reads_until_a_scan_and_then_what_the_sources_say_now(
    tmp_path: Path, back_up: object, restore: object
) -> None:
    assert callable(back_up)
    assert callable(restore)
    library = new_library(tmp_path, 8)
    settings, model = settings_of(tmp_path), model_of(tmp_path)
    with bootstrap(settings, model=model) as lockstep:
        Opened(tmp_path, library, lockstep).index()
    back_up(settings.data, tmp_path / "backup")
    change_everything(library)
    with bootstrap(settings, model=model) as lockstep:
        installation = Opened(tmp_path, library, lockstep)
        installation.index()
        installation.do("vacuum")
        assert differences(lockstep, library) == []
    restore(tmp_path / "backup", settings.data)
    with bootstrap(settings, model=model) as lockstep:
        installation = Opened(tmp_path, library, lockstep)
        installation.do("unsync")
        for reader in ("user:ann", "user:bob", "public"):
            assert installation.found("topic000", reader) == []
        installation.index()
        installation.do("audit", repair=True)
        assert differences(lockstep, library) == []
        assert installation.do("audit")["clean"]
