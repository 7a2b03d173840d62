"""How the embedded lexical index searches: without frequent words where it can, and by its indexes."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ingest.adapters.sqlite_fts import SqliteFtsIndex, SqliteFtsSettings, statements
from ingest.model.record import RecordId
from tests.contract.records import NO_FILTER, READER, ids, record, record_id


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lexical.sqlite"


def found(index: SqliteFtsIndex, question: str) -> list[RecordId]:
    return [hit.id for hit in index.search(question, caller=READER, filters=NO_FILTER, limit=10)]


def test_frequent_words_are_left_out_only_while_enough_is_found(path: Path) -> None:
    index = SqliteFtsIndex(path, settings=SqliteFtsSettings(enough=2, frequent_from_rows=50))
    index.create()
    index.add([record(n, "terminal at the counter") for n in range(100)], findable=True)
    index.add([record(100, "a zeppelin"), record(101, "a zeppelin terminal")], findable=True)
    assert set(found(index, "zeppelin terminal")) == set(ids(100, 101))
    index.delete(ids(100))
    assert found(index, "zeppelin terminal")[0] == record_id(101)
    assert len(found(index, "zeppelin terminal")) == 10
    assert len(found(index, "terminal counter")) == 10
    assert len(found(index, "terminal unheard-of")) == 10
    index.add([record(200, "unheard-of things"), record(201, "unheard-of things")], findable=True)
    assert found(index, "terminal unheard-of") == ids(200, 201)
    index.close()


@pytest.mark.parametrize(
    ("statement", "step"),
    [
        (statements.SEARCH, "SEARCH rec USING INTEGER PRIMARY KEY (rowid=?)"),
        (statements.WITH_CODES, "SEARCH code USING PRIMARY KEY (code=?)"),
        (statements.PAGE, "SEARCH rec USING INDEX sqlite_autoindex_rec_1 (id>?)"),
        (statements.DELETE_CODES, "SEARCH code USING COVERING INDEX code_by_rec (rec=?)"),
        (statements.ROWIDS_OF, "SEARCH rec USING COVERING INDEX sqlite_autoindex_rec_1 (id=?)"),
    ],
)
def test_hot_statements_use_their_index(path: Path, statement: str, step: str) -> None:
    index = SqliteFtsIndex(path)
    index.create()
    index.close()
    named = {"caller": "[]", "filters": "[]", "limit": 1, "expression": "x", "codes": "[]"}
    weights = {f"{column}_weight": 1.0 for column in ("text", "heading", "code", "cjk")}
    with closing(sqlite3.connect(path)) as connection:
        parameters = named | weights if ":" in statement else ("1",) * statement.count("?")
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)]
    assert step in plan, plan
    assert not [line for line in plan if line.startswith("SCAN") and line.split()[1] in {"rec", "code"}]
