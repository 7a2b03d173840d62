"""What is sent to a Qdrant server, and what its answers mean."""

from collections.abc import Iterator, Mapping

import numpy as np
import pytest

from ingest.adapters.qdrant import Connection, QdrantIndex, QdrantSettings
from ingest.errors import GenerationGone, LockstepError, Permanent, StoreFull, StoreUnavailable
from ingest.model.record import RecordId
from tests.contract.records import NO_FILTER, READER, access, ids, record, record_id
from tests.unit.adapters.scripted_qdrant import COMPLETED, Asked, Reply, Script, scripted

ROWS = np.eye(8, dtype=np.float32)
NOT_THERE = Reply(status=404, error="Not found: Collection `c` doesn't exist!")


@pytest.fixture
def script() -> Iterator[Script]:
    with scripted() as script:
        yield script


@pytest.fixture
def index(script: Script) -> Iterator[QdrantIndex]:
    index = QdrantIndex(Connection(script.url, timeout_s=5), "c", dimension=8)
    yield index
    index.close()


def add(index: QdrantIndex, *numbers: int) -> Mapping[RecordId, str]:
    return index.add([record(n) for n in numbers], ROWS[: len(numbers)], findable=True)


def found(*numbers: int) -> Reply:
    return Reply([{"id": record_id(n), "payload": None} for n in numbers])


def test_records_are_inserted_only_and_waited_for(script: Script, index: QdrantIndex) -> None:
    script.replies = [Reply(COMPLETED)]
    assert add(index, 1, 2) == {}
    assert script.asked[0].line == "PUT /collections/c/points?wait=true"
    assert script.asked[0].body["update_mode"] == "insert_only"
    sent = script.asked[0].body["points"]
    assert [point["id"] for point in sent] == ids(1, 2)
    assert sent[0]["payload"] == {"document": 1, "allow": ["public"], "deny": [], "facets": []}


def test_writes_to_replicas_are_strongly_ordered(script: Script) -> None:
    index = QdrantIndex(Connection(script.url), "c", dimension=8, settings=QdrantSettings(replication_factor=2))
    script.replies = [Reply(COMPLETED), Reply(COMPLETED), found(1), Reply([COMPLETED])]
    add(index, 1)
    index.delete(ids(1))
    index.patch_access({record_id(1): access()})
    assert ["ordering=strong" in asked.line for asked in script.asked] == [True, True, False, True]
    index.close()


def test_requests_are_of_bounded_size(script: Script, index: QdrantIndex) -> None:
    script.answer = lambda _: Reply(COMPLETED)
    index.add([record(n) for n in range(1_200)], np.ones((1_200, 8), np.float32), findable=True)
    assert [len(asked.body["points"]) for asked in script.asked] == [512, 512, 176]


def test_a_record_over_the_limit_is_refused_and_the_others_stored(script: Script, index: QdrantIndex) -> None:
    script.replies = [Reply(COMPLETED)]
    crowd = [f"+{'g' * 1_000}{n}" for n in range(25_000)]
    refused = index.add([record(1, allow=crowd), record(2)], ROWS[:2], findable=True)
    assert refused.keys() == {record_id(1)}
    assert [point["id"] for point in script.asked[0].body["points"]] == ids(2)


@pytest.mark.parametrize("status", ["acknowledged", "wait_timeout"])
def test_anything_but_completed_is_unknown(script: Script, index: QdrantIndex, status: str) -> None:
    script.answer = lambda _: Reply({**COMPLETED, "status": status})
    with pytest.raises(StoreUnavailable, match="unknown"):
        add(index, 1)
    with pytest.raises(StoreUnavailable, match="unknown"):
        index.delete(ids(1))
    script.replies = [found(1), Reply([COMPLETED, {**COMPLETED, "status": status}])]
    with pytest.raises(StoreUnavailable, match="unknown"):
        index.patch_access({record_id(1): access()})


def test_one_record_that_is_refused_does_not_take_the_others_with_it(script: Script, index: QdrantIndex) -> None:
    def answer(asked: Asked) -> Reply:
        sent = [point["id"] for point in asked.body["points"]]
        return Reply(status=400, error="Wrong input: no") if record_id(3) in sent else Reply(COMPLETED)

    script.answer = answer
    assert add(index, 1, 2, 3, 4, 5) == {record_id(3): "Wrong input: no"}
    stored = [point["id"] for asked in script.asked if answer(asked).status == 200 for point in asked.body["points"]]
    assert sorted(stored) == ids(1, 2, 4, 5)


def test_a_patch_is_sent_again_without_what_vanished_meanwhile(script: Script, index: QdrantIndex) -> None:
    vanished = Reply(status=404, error=f"Not found: No point with id {record_id(2)} found")
    script.replies = [found(1, 2), vanished, found(1), Reply([COMPLETED])]
    assert index.patch_access({record_id(n): access(["ann"]) for n in (1, 2, 3)}) == ids(2, 3)
    operation = script.asked[-1].body["operations"][0]["set_payload"]
    assert operation == {"payload": {"allow": ["local:user:ann"], "deny": []}, "points": ids(1)}


def test_a_collection_that_is_gone_says_that_the_generation_is_gone(script: Script, index: QdrantIndex) -> None:
    script.answer = lambda _: NOT_THERE
    with pytest.raises(GenerationGone):
        add(index, 1)
    with pytest.raises(GenerationGone):
        index.patch_access({record_id(1): access()})
    with pytest.raises(GenerationGone):
        index.search(ROWS[0], caller=READER, filters=NO_FILTER, limit=1)
    index.drop()


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(status=500, error="Service internal error: shard is down"), StoreUnavailable),
        (Reply(status=503, error="not ready"), StoreUnavailable),
        (Reply(status=429, error="rate limit"), StoreUnavailable),
        (Reply(status=429, error="rate limit", headers=(("Retry-After", "3"),)), StoreUnavailable),
        (Reply(status=401, error="no key"), StoreUnavailable),
        (Reply(status=500, error="No space left on device: WAL buffer size exceeds available disk space"), StoreFull),
        (Reply(status=400, error="Bad request: no index of facets"), Permanent),
    ],
)
def test_refusals_are_told_by_what_can_be_done(
    script: Script, index: QdrantIndex, reply: Reply, error: type[LockstepError]
) -> None:
    script.answer = lambda _: reply
    with pytest.raises(error):
        index.search(ROWS[0], caller=READER, filters=NO_FILTER, limit=1)


def test_a_server_that_is_down_is_named_without_its_password() -> None:
    index = QdrantIndex(Connection("http://ann:secret@127.0.0.1:9"), "c", dimension=8)
    with pytest.raises(StoreUnavailable, match=r"at 127\.0\.0\.1:9 ") as failure:
        index.fetch(ids(1))
    assert "secret" not in str(failure.value)
    index.close()
