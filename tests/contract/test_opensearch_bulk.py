"""F25: bulk answers 200 with failures inside, 429, requests too large or timed out. On a real node, behind faults."""

from collections import deque
from collections.abc import Iterator
from uuid import uuid4

import pytest
from opensearchpy import OpenSearch

from ingest.adapters.opensearch import OpenSearchIndex, OpenSearchSettings
from ingest.errors import RecordRejected, StoreUnavailable
from tests.contract.opensearch_faults import (
    Fault,
    FaultyConnection,
    failing_items,
    failing_whole,
    larger_than,
    number_of_items,
    silent_after_applying,
)
from tests.contract.records import NO_FILTER, QUESTION, READER, access, ids, record, record_id

BUSY = "rejected_execution_exception"
HUNDRED = [record(n) for n in range(100)]


class Line:
    """An index behind faults, what it sent and how long it waited between attempts, in seconds."""

    def __init__(self, url: str) -> None:
        self.faults: deque[Fault] = deque()
        self.sent: list[bytes] = []
        self.waits: list[float] = []
        self.client = OpenSearch(url, connection_class=FaultyConnection, faults=self.faults, sent=self.sent)
        settings = OpenSearchSettings(replicas=0, refresh_interval_ms=50, attempts=4, backoff_s=1, longest_backoff_s=3)
        self.name = f"lexical-{uuid4().hex}"
        self.index = OpenSearchIndex(self.client, self.name, settings=settings, wait=self.waits.append)

    def stored(self) -> list[str]:
        return [stored.id for stored in self.index.ids(after=None, limit=1_000)]

    def found(self) -> int:
        return len(self.index.search(QUESTION, caller=READER, filters=NO_FILTER, limit=1_000))


@pytest.fixture
def line(opensearch_url: str) -> Iterator[Line]:
    line = Line(opensearch_url)
    line.index.create()
    yield line
    line.index.drop()
    line.client.close()


def test_every_item_is_applied_once_but_the_one_that_can_never_be(line: Line) -> None:
    hopeless = record(40, allow=["x" * 40_000])  # longer than any term may be: the node's own refusal
    line.faults.extend([failing_items(429, BUSY, record_id(17)[-3:])] * 2)
    refused = line.index.add([*HUNDRED[:40], hopeless, *HUNDRED[41:]], findable=True)
    assert refused.keys() == {hopeless.id}
    assert "max_bytes_length_exceeded_exception" in refused[hopeless.id]
    assert "xxx" not in refused[hopeless.id]
    assert [number_of_items(body) for body in line.sent] == [100, 1, 1]
    assert line.waits == [1, 2]
    assert line.stored() == ids(*range(40), *range(41, 100))
    assert line.found() == 99


def test_a_busy_node_is_asked_a_bounded_number_of_times(line: Line) -> None:
    line.faults.extend([failing_items(503, BUSY, record_id(3)[-3:])] * 9)
    with pytest.raises(StoreUnavailable, match="no time for 1 items"):
        line.index.add(HUNDRED[:10], findable=True)
    assert len(line.sent) == 4
    assert line.waits == [1, 2, 3]
    line.faults.clear()
    assert line.index.add(HUNDRED[:10], findable=True) == {}
    assert line.found() == 10


def test_a_request_that_is_refused_whole_is_sent_again(line: Line) -> None:
    line.faults.append(failing_whole(429, BUSY))
    assert line.index.add(HUNDRED, findable=True) == {}
    assert line.found() == 100


def test_sending_again_after_a_lost_answer_changes_nothing_and_is_findable(line: Line) -> None:
    interval = {"index.refresh_interval": "30s"}  # so that no refresh of the server's own helps
    line.client.indices.put_settings(index=line.name, body=interval)
    line.faults.append(silent_after_applying)
    with pytest.raises(StoreUnavailable, match="no answer in time"):
        line.index.add(HUNDRED, findable=False)
    assert line.index.add(HUNDRED, findable=True) == {}
    assert line.found() == 100
    assert line.stored() == ids(*range(100))


def test_a_body_that_is_too_large_is_sent_in_parts_and_a_record_that_is_too_large_is_refused(line: Line) -> None:
    line.faults.extend([larger_than(10_000)] * 100)
    large = record(50, "refund window " * 2_000)
    assert line.index.add([*HUNDRED[:50], large, *HUNDRED[51:]], findable=True).keys() == {large.id}
    assert line.found() == 99


def test_batches_keep_to_their_bytes(line: Line) -> None:
    settings = OpenSearchSettings(replicas=0, refresh_interval_ms=50, batch_bytes=5_000)
    index = OpenSearchIndex(line.client, f"lexical-{uuid4().hex}", settings=settings)
    index.create()
    index.add([*HUNDRED, record(200, "word " * 2_000)], findable=False)
    assert max(len(body) for body in line.sent[:-1]) <= 5_000
    assert number_of_items(line.sent[-1]) == 1
    assert len(index.ids(after=None, limit=1_000)) == 101
    index.drop()


def test_patches_and_deletes_are_sent_again_item_by_item(line: Line) -> None:
    line.index.add(HUNDRED[:5], findable=True)
    line.faults.append(failing_items(429, BUSY, record_id(1)[-3:]))
    changes = {record_id(n): access(["bob"]) for n in (0, 1, 77)}
    assert list(line.index.patch_access(changes)) == ids(77)
    line.faults.append(failing_items(500, "internal", record_id(2)[-3:]))
    line.index.delete(ids(2, 3, 78))
    assert line.stored() == ids(0, 1, 4)
    assert {stored.access for stored in line.index.fetch(ids(0, 1)).values()} == {access(["bob"])}


def test_a_patch_whose_conflict_outlasts_the_servers_retries_is_sent_again(line: Line) -> None:
    line.index.add(HUNDRED[:2], findable=True)
    line.faults.append(failing_items(409, "version_conflict_engine_exception", record_id(1)[-3:]))
    assert list(line.index.patch_access({record_id(n): access(["bob"]) for n in (0, 1)})) == []
    assert line.index.fetch(ids(1))[record_id(1)].access == access(["bob"])


def test_a_patch_that_the_server_refuses_for_good_is_an_error(line: Line) -> None:
    line.index.add(HUNDRED[:2], findable=True)
    with pytest.raises(RecordRejected, match="illegal_argument") as caught:
        line.index.patch_access({record_id(0): access(["x" * 40_000]), record_id(1): access(["bob"])})
    assert "xxx" not in str(caught.value)
    assert line.index.fetch(ids(1))[record_id(1)].access == access(["bob"])
