"""The contract of `ingest.ports.VectorIndex`: cosine, filters at low selectivity, vectors that are refused."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pytest

from ingest.model.principal import Principal
from ingest.model.record import Filters, Record, RecordId
from ingest.ports import FloatMatrix, FloatVector, VectorIndex
from tests.contract.clusters import clustered
from tests.contract.index import IndexContract
from tests.contract.records import NEAR, NO_FILTER, READER, access, ids, principals, record, record_id

DIMENSION: Final = 8
QUESTION_VECTOR: Final = np.eye(DIMENSION, dtype=np.float32)[0]


def at_cosine(cosine: float, *, length: float = 1.0) -> FloatVector:
    """A vector with this cosine to QUESTION_VECTOR."""
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[:2] = length * cosine, length * np.sqrt(1 - cosine**2)
    return vector


class VectorIndexContract(IndexContract[VectorIndex]):
    """Cases for vector indexes, with those of every index. Fixtures give indexes of dimension DIMENSION."""

    least_recall = 1.0
    """Of the nearest ten among the few that a reader may see; exact search finds all."""

    def add(self, index: VectorIndex, records: Sequence[Record], *, findable: bool = True) -> Mapping[RecordId, str]:
        rows = [at_cosine(0.9 if record.text == NEAR else 0.3) for record in records]
        return index.add(records, np.array(rows, dtype=np.float32).reshape(-1, DIMENSION), findable=findable)

    def found(
        self,
        index: VectorIndex,
        *,
        caller: frozenset[Principal] = READER,
        filters: Filters = NO_FILTER,
        limit: int = 10,
    ) -> list[RecordId]:
        return [hit.id for hit in index.search(QUESTION_VECTOR, caller=caller, filters=filters, limit=limit)]

    def test_nearer_vectors_come_first_with_their_cosine(self, index: VectorIndex) -> None:
        cosines = {1: -0.5, 2: 0.95, 3: 0.0, 4: 0.25, 5: 1.0}
        rows = np.array([at_cosine(cosine, length=n) for n, cosine in cosines.items()])
        index.add([record(n) for n in cosines], rows, findable=True)
        hits = index.search(3 * QUESTION_VECTOR, caller=READER, filters=NO_FILTER, limit=10)
        assert [hit.id for hit in hits] == ids(5, 2, 4, 3, 1)
        assert [hit.score for hit in hits] == pytest.approx([1.0, 0.95, 0.25, 0.0, -0.5], abs=1e-5)

    def test_equals_at_the_cut_are_those_with_the_lowest_ids(self, index: VectorIndex) -> None:
        self.add(index, [record(n) for n in reversed(range(40))])
        assert self.found(index, limit=5) == ids(*range(5))
        assert self.found(index, limit=0) == []

    def test_a_direction_does_not_depend_on_its_length(self, index: VectorIndex) -> None:
        rows = np.array([at_cosine(0.5, length=length) for length in (1e-6, 1.0, 1e6)])
        index.add([record(n) for n in (1, 2, 3)], rows, findable=True)
        hits = index.search(at_cosine(1.0, length=1e-5), caller=READER, filters=NO_FILTER, limit=3)
        assert [hit.id for hit in hits] == ids(1, 2, 3)
        assert [hit.score for hit in hits] == pytest.approx([0.5] * 3, abs=1e-5)

    @pytest.mark.parametrize(
        "rows",
        [
            np.ones((2, DIMENSION - 1), np.float32),
            np.ones((2, DIMENSION + 1), np.float32),
            np.ones((1, DIMENSION), np.float32),
            np.ones((3, DIMENSION), np.float32),
            np.ones(DIMENSION, np.float32),
            np.array([[1.0] * DIMENSION, [np.nan] + [1.0] * (DIMENSION - 1)], np.float32),
            np.array([[1.0] * DIMENSION, [1.0] * (DIMENSION - 1) + [np.inf]], np.float32),
            np.array([[1.0] * DIMENSION, [0.0] * DIMENSION], np.float32),
        ],
        ids=["short", "long", "one too few", "one too many", "flat", "NaN", "infinite", "zero"],
    )
    def test_bad_vectors_are_refused_before_anything_is_stored(self, index: VectorIndex, rows: FloatMatrix) -> None:
        """F27: an engine that accepts them would rank them anyhow."""
        with pytest.raises(ValueError, match="vector"):
            index.add([record(1), record(2)], rows, findable=True)
        assert index.fetch(ids(1, 2)) == {}

    @pytest.mark.parametrize("asked", [np.ones(DIMENSION + 1), np.zeros(DIMENSION), np.full(DIMENSION, np.nan)])
    def test_a_bad_question_is_refused(self, index: VectorIndex, asked: FloatVector) -> None:
        with pytest.raises(ValueError, match="vector"):
            index.search(asked, caller=READER, filters=NO_FILTER, limit=1)

    def test_the_first_vector_of_an_id_stays(self, index: VectorIndex) -> None:
        near, far = np.array([at_cosine(0.9)]), np.array([at_cosine(0.1)])
        index.add([record(1)], near, findable=True)
        index.add([record(1)], far, findable=True)
        index.add([record(2), record(2)], np.concatenate([near, far]), findable=True)
        hits = index.search(QUESTION_VECTOR, caller=READER, filters=NO_FILTER, limit=2)
        assert [hit.score for hit in hits] == pytest.approx([0.9, 0.9], abs=1e-5)

    def test_a_vector_follows_its_record_when_it_is_deleted(self, index: VectorIndex) -> None:
        index.add([record(1), record(2)], np.array([at_cosine(0.9), at_cosine(0.8)]), findable=True)
        index.delete(ids(1))
        index.refresh()
        assert self.found(index) == ids(2)

    def test_many_records_with_many_readers_are_patched_at_once(self, index: VectorIndex) -> None:
        self.add(index, [record(n) for n in range(1_100)])
        changes = {record_id(n): access([f"u{n % 3}"]) for n in range(1_200)}
        assert set(index.patch_access(changes)) == set(ids(*range(1_100, 1_200)))
        index.refresh()
        assert self.found(index, caller=principals("u1"), limit=2_000) == ids(*range(1, 1_100, 3))

    @pytest.mark.parametrize("readable", [2_000, 200, 20, 2])
    def test_the_nearest_are_found_when_few_may_be_seen(self, index: VectorIndex, readable: int) -> None:
        """F36: of 2,000 records in clusters a reader may see 100, 10, 1 and 0.1 per cent."""
        rows = clustered(2_000, DIMENSION)
        seen = np.random.default_rng(readable).permutation(2_000)[:readable]
        allowed = frozenset(seen.tolist())
        records = [record(n, allow=["mine"] if n in allowed else ["other"]) for n in range(2_000)]
        index.add(records, rows, findable=True)
        found, expected = 0, 0
        for asked in rows[:20]:
            nearest = seen[np.argsort(-(rows[seen] @ asked), kind="stable")][:10]
            hits = index.search(asked, caller=principals("mine"), filters=NO_FILTER, limit=10)
            assert len(hits) == min(10, readable)
            found += len({hit.id for hit in hits} & set(ids(*nearest.tolist())))
            expected += len(nearest)
        assert found >= self.least_recall * expected
