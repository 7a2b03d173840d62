"""The lexical fake keeps the contract, and commits the faults it is asked for."""

import pytest

from ingest.adapters.memory.faults import Fault, Faults
from ingest.adapters.memory.lexical_index import MemoryLexicalIndex
from ingest.errors import StoreFull, StoreUnavailable
from ingest.ports import LexicalIndex
from tests.contract.lexical_index import LexicalIndexContract
from tests.contract.records import access, ids, record, record_id


class TestMemory(LexicalIndexContract):
    """The whole contract."""

    @pytest.fixture
    def index(self) -> LexicalIndex:
        index = MemoryLexicalIndex()
        index.create()
        return index

    def test_only_what_was_added_as_findable_is_shown_before_refresh(self, index: LexicalIndex) -> None:
        index.add([record(1), record(2)], findable=True)
        index.add([record(3)], findable=False)
        index.patch_access({record_id(1): access([])})
        index.delete(ids(2))
        index.add([record(4)], findable=True)
        assert self.found(index) == ids(1, 2, 4)
        index.refresh()
        assert self.found(index) == ids(3, 4)


@pytest.mark.parametrize(("applied", "stored"), [(0.0, ids()), (0.5, ids(1, 2)), (1.0, ids(1, 2, 3, 4))])
def test_a_fault_comes_after_the_share_that_was_applied(applied: float, stored: list[str]) -> None:
    index = MemoryLexicalIndex()
    index.create()
    index.faults.fail_next("add", Fault(applied))
    with pytest.raises(StoreUnavailable):
        index.add([record(n) for n in (1, 2, 3, 4)], findable=True)
    assert [found.id for found in index.ids(after=None, limit=9)] == stored
    assert index.add([record(n) for n in (1, 2, 3, 4)], findable=True) == {}
    assert len(index.ids(after=None, limit=9)) == 4


def test_faults_are_chosen_by_call_and_counted() -> None:
    faults = Faults(lambda call: Fault(error=StoreFull("full")) if call == "delete" else None)
    index = MemoryLexicalIndex(faults=faults)
    index.create()
    with pytest.raises(StoreFull):
        index.delete(ids(1))
    assert faults.committed == {"delete": 1}
    assert faults.calls["create"] == 1


def test_refused_records_are_named_and_the_others_stored() -> None:
    index = MemoryLexicalIndex(refuses=lambda r: "too large" if r.document_id == 2 else None)
    index.create()
    assert index.add([record(1), record(2), record(3)], findable=True) == {record_id(2): "too large"}
    assert index.fetch(ids(1, 2, 3)).keys() == {record_id(1), record_id(3)}
