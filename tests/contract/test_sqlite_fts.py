"""The embedded lexical index keeps the contract."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.adapters.sqlite_fts import SqliteFtsIndex
from ingest.ports import LexicalIndex
from tests.contract.lexical_english import WordFormContract
from tests.contract.lexical_index import LexicalIndexContract


class TestSqliteFts(LexicalIndexContract, WordFormContract):
    """The whole contract, on a file."""

    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[LexicalIndex]:
        index = SqliteFtsIndex(tmp_path / "lexical" / "g1.sqlite")
        index.create()
        yield index
        index.close()
