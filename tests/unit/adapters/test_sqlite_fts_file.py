"""The file of the embedded lexical index: what it survives, what it refuses, what it keeps."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ingest.adapters.sqlite_fts import SqliteFtsIndex, SqliteFtsSettings, schema
from ingest.errors import ForeignIndex, GenerationGone, StoreFull, StoreUnavailable
from ingest.model.record import RecordId
from tests.contract.records import NO_FILTER, QUESTION, READER, access, ids, record, record_id

WRITER = """
import sys
from pathlib import Path
from ingest.adapters.sqlite_fts import SqliteFtsIndex
from tests.contract.records import record
index = SqliteFtsIndex(Path(sys.argv[1]))
index.create()
number = 0
while True:
    index.add([record(number)], findable=True)
    print(number, flush=True)
    number += 1
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lexical.sqlite"


@pytest.fixture
def index(path: Path) -> Iterator[SqliteFtsIndex]:
    index = SqliteFtsIndex(path)
    index.create()
    yield index
    index.close()


def found(index: SqliteFtsIndex, question: str = QUESTION, limit: int = 10) -> list[RecordId]:
    return [hit.id for hit in index.search(question, caller=READER, filters=NO_FILTER, limit=limit)]


def test_what_was_added_survives_a_kill(path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(20)][-1]
        os.kill(writer.pid, signal.SIGKILL)
    index = SqliteFtsIndex(path)
    assert set(ids(*range(acknowledged + 1))) <= set(found(index, limit=10_000))
    index.close()


def test_deleted_words_leave_the_files(index: SqliteFtsIndex, path: Path) -> None:
    secret = record(2, "about zanzibar", heading=("Quetzal",), codes=("XYLO-77",), metadata=("owner=wolpertinger",))
    index.add([record(1), secret], findable=True)
    index.patch_access({secret.id: access(["chupacabra"])})
    index.delete([secret.id])
    assert index.compact()
    kept = b"".join(file.read_bytes() for file in path.parent.iterdir()).lower()
    for word in (b"zanzibar", b"quetzal", b"xylo", b"wolpertinger", b"chupacabra", secret.id.encode()):
        assert word not in kept
    assert b"window" in kept
    assert found(index) == ids(1)


def test_a_full_disk_stores_nothing_of_the_call_and_loses_nothing_of_before(path: Path) -> None:
    index = SqliteFtsIndex(path, settings=SqliteFtsSettings(largest_pages=60))
    index.create()
    index.add([record(1)], findable=True)
    with pytest.raises(StoreFull, match=r"lexical\.sqlite"):
        index.add([record(n, f"refund window {n} " * 50) for n in range(2, 400)], findable=True)
    assert found(index) == ids(1)
    index.patch_access({record_id(1): access([])})
    assert found(index) == []
    index.delete(ids(1))
    index.close()
    roomy = SqliteFtsIndex(path)
    assert roomy.add([record(n) for n in range(2, 400)], findable=True) == {}
    assert len(found(roomy, limit=1_000)) == 398
    roomy.close()


def test_a_database_of_somebody_else_is_refused_and_kept(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (x)")
        other.commit()
    index = SqliteFtsIndex(path)
    for call in (index.create, index.drop, index.compact):
        with pytest.raises(ForeignIndex, match=r"lexical\.sqlite"):
            call()
    assert path.exists()
    index.close()


def test_a_file_of_another_version_is_refused(index: SqliteFtsIndex, path: Path) -> None:
    index.close()
    with closing(sqlite3.connect(path)) as newer:
        newer.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}")
    with pytest.raises(ForeignIndex):
        index.create()


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.write_bytes(b"a letter to my aunt\n" * 1_000)
    index = SqliteFtsIndex(path)
    with pytest.raises(ForeignIndex):
        index.create()
    index.close()


def test_without_a_file_the_generation_is_gone(path: Path) -> None:
    index = SqliteFtsIndex(path)
    with pytest.raises(GenerationGone):
        found(index)
    assert not path.exists()


def test_only_its_owner_may_read_the_files(index: SqliteFtsIndex, path: Path) -> None:
    index.add([record(1)], findable=True)
    assert {file.stat().st_mode & 0o077 for file in path.parent.iterdir()} == {0}


def test_a_writer_that_holds_the_file_makes_it_unavailable_for_writes_alone(path: Path) -> None:
    index = SqliteFtsIndex(path, settings=SqliteFtsSettings(busy_timeout_s=0.05))
    index.create()
    index.add([record(1)], findable=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable):
            index.add([record(2)], findable=True)
        assert found(index) == ids(1)
    assert index.add([record(2)], findable=True) == {}
    index.close()


def test_another_opening_finds_everything(index: SqliteFtsIndex, path: Path) -> None:
    index.add([record(1, codes=("AX-204",)), record(2, metadata=("k=v",))], findable=True)
    again = SqliteFtsIndex(path)
    again.create()
    assert found(again) == ids(2, 1)  # the code makes record 1 longer
    again.close()
