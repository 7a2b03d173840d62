"""How collections of a Qdrant server are made and recognised, and whose client asks."""

from collections.abc import Iterator

import numpy as np
import pytest

from ingest.adapters.points import FILTER_FIELDS
from ingest.adapters.qdrant import Connection, QdrantIndex
from ingest.errors import ForeignIndex, Permanent
from tests.unit.adapters.scripted_qdrant import COMPLETED, Reply, Script, scripted

ROWS = np.eye(8, dtype=np.float32)
VERSION = Reply(version="1.19.0")
NOT_THERE = Reply(status=404, error="Not found: Collection `c` doesn't exist!")
INFO = {
    "status": "green",
    "optimizer_status": "ok",
    "segments_count": 1,
    "config": {
        "params": {"vectors": {"size": 8, "distance": "Cosine"}},
        "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10_000},
        "optimizer_config": {
            "deleted_threshold": 0.2,
            "vacuum_min_vector_number": 1_000,
            "default_segment_number": 0,
            "flush_interval_sec": 5,
        },
        "metadata": {"lockstep": 1},
    },
    "payload_schema": {},
}


@pytest.fixture
def script() -> Iterator[Script]:
    with scripted() as script:
        yield script


@pytest.fixture
def index(script: Script) -> Iterator[QdrantIndex]:
    index = QdrantIndex(Connection(script.url, timeout_s=5), "c", dimension=8)
    yield index
    index.close()


def test_every_filter_field_is_indexed_before_anything_is_loaded(script: Script, index: QdrantIndex) -> None:
    """F28: one list drives creation, strict mode refuses what it forgets."""
    script.replies = [
        VERSION,
        Reply({"exists": False}),
        Reply(True),
        Reply(INFO),
        *[Reply(COMPLETED)] * len(FILTER_FIELDS),
    ]
    index.create()
    made = next(
        asked.body for asked in script.asked if asked.line.startswith("PUT /collections/c") and "vectors" in asked.body
    )
    strict = {"enabled": True, "unindexed_filtering_retrieve": False, "unindexed_filtering_update": False}
    assert made["strict_mode_config"].items() >= strict.items()
    indexed = [asked for asked in script.asked if asked.line == "PUT /collections/c/index?wait=true"]
    assert [asked.body for asked in indexed] == [
        {"field_name": name, "field_schema": "keyword"} for name in FILTER_FIELDS
    ]


def test_a_field_indexed_as_something_else_is_foreign(script: Script, index: QdrantIndex) -> None:
    schema = {"allow": {"data_type": "integer", "points": 0}}
    script.replies = [VERSION, Reply({"exists": True}), Reply({**INFO, "payload_schema": schema})]
    with pytest.raises(ForeignIndex, match="allow"):
        index.create()


def test_a_process_of_its_own_gets_a_client_of_its_own(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = Connection(script.url)
    with connection.client() as first, connection.client() as again:
        assert first is again
    monkeypatch.setattr("ingest.adapters.qdrant.connection.os.getpid", lambda: 1)
    with connection.client() as other:
        assert other is not first
    connection.close()
    first.close()


def test_a_server_that_is_too_old_is_refused(script: Script, index: QdrantIndex) -> None:
    script.replies = [Reply(version="1.18.3")]
    with pytest.raises(Permanent, match=r"1\.19"):
        index.create()
