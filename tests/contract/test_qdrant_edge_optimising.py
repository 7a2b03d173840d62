"""The embedded vector index is optimised and compacted while it is written to and searched."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

from ingest import failpoints
from ingest.adapters.qdrant_edge.index import QdrantEdgeIndex
from ingest.adapters.qdrant_edge.settings import QdrantEdgeSettings
from ingest.errors import LockstepError, StoreUnavailable
from tests.contract.clusters import clustered
from tests.contract.records import NO_FILTER, READER, access, ids, principals, record, record_id

DIMENSION = 32
COUNT = 3_000
EAGER = QdrantEdgeSettings(optimise_after_points=1_000, indexing_threshold_kb=50)
"""A graph is built from 400 vectors on."""


@pytest.fixture
def index(tmp_path: Path) -> Iterator[QdrantEdgeIndex]:
    index = QdrantEdgeIndex(tmp_path / "vectors", dimension=DIMENSION, settings=EAGER)
    index.create()
    yield index
    index.close()


def fill(index: QdrantEdgeIndex, count: int = COUNT) -> None:
    index.add([record(n) for n in range(count)], clustered(COUNT, DIMENSION)[:count], findable=True)


def test_what_was_added_or_patched_since_the_last_time_makes_it_worth_optimising(index: QdrantEdgeIndex) -> None:
    fill(index, 1_000)
    assert not index.needs_optimising()
    fill(index, 1_001)
    assert index.needs_optimising()
    index.optimise()
    assert not index.needs_optimising()
    index.patch_access({record_id(n): access(["ann"]) for n in range(1_001)})
    assert index.needs_optimising()
    index.delete(ids(*range(10)))
    assert not index.needs_optimising()


@pytest.mark.parametrize("readable", [3_000, 300, 30, 3])
def test_the_graph_finds_the_nearest_when_few_may_be_seen(index: QdrantEdgeIndex, readable: int) -> None:
    """F36, through the graph instead of by comparing with everything."""
    fill(index)
    rows = clustered(COUNT, DIMENSION)
    seen = np.random.default_rng(readable).permutation(COUNT)[:readable]
    index.patch_access({record_id(n): access(["mine"]) for n in seen.tolist()})
    index.optimise()
    found, expected = 0, 0
    for asked in rows[:30]:
        nearest = seen[np.argsort(-(rows[seen] @ asked), kind="stable")][:10]
        hits = index.search(asked, caller=principals("mine"), filters=NO_FILTER, limit=10)
        found += len({hit.id for hit in hits} & set(ids(*nearest.tolist())))
        expected += len(nearest)
    assert found >= 0.95 * expected


@pytest.mark.parametrize("rewrite", [False, True], ids=["optimising", "compacting"])
def test_what_is_written_meanwhile_is_in_the_copy(index: QdrantEdgeIndex, rewrite: bool) -> None:
    fill(index, 500)
    steps = {"edge.copied": 1, "edge.optimised": 2, "edge.caught_up": 3, "edge.exchanged": 4}
    more = clustered(COUNT, DIMENSION)

    def write(name: str) -> None:
        if n := steps.get(name):
            index.add([record(1_000 + n), record(2_000 + n)], more[1_000 + n : 1_002 + n], findable=True)
            index.patch_access({record_id(n): access(["bob"]), record_id(1_000 + n): access(["ann"])})
            index.delete(ids(2_000 + n, 100 + n))

    failpoints.observer = write
    try:
        index.compact() if rewrite else index.optimise()
    finally:
        failpoints.observer = None
    expected = {record_id(n): access() for n in range(500) if n not in range(101, 105)}
    expected |= {record_id(n): access(["bob"]) for n in range(1, 5)}
    expected |= {record_id(1_000 + n): access(["ann"]) for n in range(1, 5)}
    assert {stored.id: stored.access for stored in index.ids(after=None, limit=10_000)} == expected
    for n in range(1, 5):
        hits = index.search(more[1_000 + n], caller=principals("ann"), filters=NO_FILTER, limit=1)
        assert [(hit.id, hit.score) for hit in hits] == [(record_id(1_000 + n), 1.0)]


def test_searches_and_writes_go_on_while_shards_are_exchanged(index: QdrantEdgeIndex) -> None:
    fill(index, 500)
    rows, done, problems, written = clustered(COUNT, DIMENSION), Event(), list[object](), list[int]()

    def work(act: object) -> None:
        number = 1_000
        while not done.is_set() and number < COUNT:
            try:
                if act == "write":
                    index.add([record(number)], rows[number : number + 1], findable=True)
                    written.append(number)
                    number += 1
                found = index.search(rows[7], caller=READER, filters=NO_FILTER, limit=5)
                if len(found) != 5 or found[0].id != record_id(7):
                    problems.append(found)
            except LockstepError as error:
                problems.append(error)
            done.wait(0.001)

    threads = [Thread(target=work, args=(act,)) for act in ("write", "search")]
    for thread in threads:
        thread.start()
    index.optimise()
    index.compact()
    done.set()
    for thread in threads:
        thread.join()
    assert problems == []
    assert len(written) > 20
    assert index.fetch(ids(*written)).keys() == set(ids(*written))


def test_compacting_takes_deleted_words_out_of_the_files(index: QdrantEdgeIndex, tmp_path: Path) -> None:
    def files_hold(word: bytes) -> bool:
        return any(word in path.read_bytes() for path in (tmp_path / "vectors").rglob("*") if path.is_file())

    rows = clustered(COUNT, DIMENSION)
    index.add(
        [record(1, metadata=("category=zanzibar",)), record(2, metadata=("category=kept",))], rows[:2], findable=True
    )
    index.delete(ids(1))
    index.flush()
    assert files_hold(b"zanzibar")
    assert index.compact()
    assert files_hold(b"kept")
    assert not files_hold(b"zanzibar")


def test_closing_ends_an_optimisation(index: QdrantEdgeIndex, tmp_path: Path) -> None:
    fill(index)
    errors, begun = list[Exception](), Event()

    def optimise() -> None:
        try:
            index.optimise()
        except StoreUnavailable as error:
            errors.append(error)

    with failpoints.at("edge.copied", begun.set):
        thread = Thread(target=optimise)
        thread.start()
        assert begun.wait(timeout=10)
        index.close()
        thread.join(timeout=10)
    assert len(errors) == 1
    assert [path.name for path in (tmp_path / "vectors").iterdir() if path.is_dir()] == ["shard-1"]
    index.create()
    assert len(index.ids(after=None, limit=COUNT + 1)) == COUNT
