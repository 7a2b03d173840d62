"""The vector fake keeps the contract, and commits the faults it is asked for."""

import numpy as np
import pytest

from ingest.adapters.memory.faults import Fault
from ingest.adapters.memory.vector_index import MemoryVectorIndex
from ingest.errors import StoreUnavailable
from ingest.ports import VectorIndex
from tests.contract.records import NO_FILTER, READER, access, ids, record, record_id
from tests.contract.vector_index import DIMENSION, QUESTION_VECTOR, VectorIndexContract, at_cosine


class TestMemory(VectorIndexContract):
    """The whole contract."""

    @pytest.fixture
    def index(self) -> VectorIndex:
        index = MemoryVectorIndex(dimension=DIMENSION)
        index.create()
        return index

    def test_only_what_was_added_as_findable_is_shown_before_refresh(self, index: VectorIndex) -> None:
        self.add(index, [record(1), record(2)], findable=True)
        self.add(index, [record(3)], findable=False)
        index.patch_access({record_id(1): access([])})
        index.delete(ids(2))
        self.add(index, [record(4)], findable=True)
        assert self.found(index) == ids(1, 2, 4)
        index.refresh()
        assert self.found(index) == ids(3, 4)


@pytest.mark.parametrize(("applied", "stored"), [(0.0, ids()), (0.5, ids(1, 2)), (1.0, ids(1, 2, 3, 4))])
def test_a_fault_comes_after_the_share_that_was_applied(applied: float, stored: list[str]) -> None:
    index = MemoryVectorIndex(dimension=DIMENSION)
    index.create()
    records, rows = [record(n) for n in (1, 2, 3, 4)], np.array([at_cosine(0.9 - n / 10) for n in (1, 2, 3, 4)])
    index.faults.fail_next("add", Fault(applied))
    with pytest.raises(StoreUnavailable):
        index.add(records, rows, findable=True)
    assert [found.id for found in index.ids(after=None, limit=9)] == stored
    assert index.add(records, rows[::-1], findable=True) == {}
    scores = {hit.id: hit.score for hit in index.search(QUESTION_VECTOR, caller=READER, filters=NO_FILTER, limit=9)}
    kept = {id_: 0.9 - n / 10 for n, id_ in enumerate(ids(1, 2, 3, 4), start=1) if id_ in stored}
    assert {id_: scores[id_] for id_ in kept} == pytest.approx(kept, abs=1e-5)
    assert len(scores) == 4
