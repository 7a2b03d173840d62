"""The physical index in OpenSearch: made strict, known again, blocked, dropped."""

import os
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from opensearchpy import OpenSearch, RequestError

from ingest.adapters.opensearch import OpenSearchIndex, OpenSearchSettings
from ingest.adapters.opensearch.connection import Connection
from ingest.adapters.opensearch.mapping import FIELDS, write_alias
from ingest.errors import ForeignIndex, GenerationGone, StoreFull, StoreUnavailable
from tests.contract.records import NO_FILTER, QUESTION, READER, access, ids, record, record_id

SETTINGS = OpenSearchSettings(replicas=0, refresh_interval_ms=50)


@pytest.fixture
def name() -> str:
    return f"lexical-{uuid4().hex}"


@pytest.fixture
def index(opensearch_client: OpenSearch, name: str) -> Iterator[OpenSearchIndex]:
    index = OpenSearchIndex(opensearch_client, name, settings=SETTINGS)
    index.create()
    yield index
    opensearch_client.indices.delete(index=name, params={"ignore_unavailable": "true"})


def found(index: OpenSearchIndex) -> list[str]:
    return [hit.id for hit in index.search(QUESTION, caller=READER, filters=NO_FILTER, limit=10)]


def test_the_mapping_is_fixed_and_writes_are_synced(
    index: OpenSearchIndex, opensearch_client: OpenSearch, name: str
) -> None:
    """F26: neither our records nor a stranger's document can add a field."""
    index.add([record(1, metadata=("text=x", "new.field=1", "acl={'a': 1}"))], findable=True)
    with pytest.raises(RequestError, match="strict_dynamic_mapping_exception"):
        opensearch_client.index(index=name, body={"text": "x", "published": "2024-01-05"})
    described = opensearch_client.indices.get(index=name)[name]
    assert described["mappings"]["properties"].keys() == FIELDS.keys()
    assert described["settings"]["index"]["translog"]["durability"] == "request"
    assert described["settings"]["index"]["refresh_interval"] == "50ms"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"mappings": {"properties": {"text": {"type": "text"}}}}, "no mark of Lockstep"),
        ({"mappings": {"_meta": {"made_by": "lockstep", "shape": "older"}}}, "another version"),
    ],
)
def test_an_index_of_another_shape_is_refused_and_kept(
    opensearch_client: OpenSearch, name: str, body: dict[str, Any], reason: str
) -> None:
    body["settings"] = {"index": {"number_of_replicas": 0}}
    opensearch_client.indices.create(index=name, body=body)
    with pytest.raises(ForeignIndex, match=reason):
        OpenSearchIndex(opensearch_client, name, settings=SETTINGS).create()
    assert opensearch_client.indices.exists(index=name)
    opensearch_client.indices.delete(index=name)


def test_an_index_without_our_mark_is_not_dropped(opensearch_client: OpenSearch, name: str) -> None:
    opensearch_client.indices.create(index=name, body={"settings": {"index": {"number_of_replicas": 0}}})
    with pytest.raises(ForeignIndex):
        OpenSearchIndex(opensearch_client, name).drop()
    assert opensearch_client.indices.exists(index=name)
    opensearch_client.indices.delete(index=name)


def test_an_index_that_lost_its_write_alias_or_its_durability_is_refused(
    index: OpenSearchIndex, opensearch_client: OpenSearch, name: str
) -> None:
    opensearch_client.indices.put_settings(index=name, body={"index.translog.durability": "async"})
    opensearch_client.indices.delete_alias(index=name, name=write_alias(name))
    with pytest.raises(ForeignIndex, match="write alias is missing; its translog durability"):
        index.create()


def test_a_name_that_an_alias_has_is_refused(index: OpenSearchIndex, opensearch_client: OpenSearch, name: str) -> None:
    with pytest.raises(ForeignIndex, match="an alias has its name"):
        OpenSearchIndex(opensearch_client, write_alias(name), settings=SETTINGS).create()


def test_a_late_write_does_not_bring_a_dropped_index_back(
    index: OpenSearchIndex, opensearch_client: OpenSearch, name: str
) -> None:
    index.drop()
    for write in (
        lambda: index.add([record(1)], findable=True),
        lambda: index.patch_access({record_id(1): access()}),
        lambda: index.delete(ids(1)),
        index.refresh,
        lambda: index.ids(after=None, limit=1),
        lambda: index.fetch(ids(1)),
        lambda: index.search("", caller=READER, filters=NO_FILTER, limit=1),
    ):
        with pytest.raises(GenerationGone):
            write()
    assert not opensearch_client.indices.exists(index=name)
    assert not opensearch_client.indices.exists(index=write_alias(name))


def test_a_full_disk_is_told_from_load_and_passes(
    index: OpenSearchIndex, opensearch_client: OpenSearch, name: str
) -> None:
    """F40: the block that OpenSearch sets when its disk is full."""
    index.add([record(1), record(2)], findable=True)
    block = "index.blocks.read_only_allow_delete"
    opensearch_client.indices.put_settings(index=name, body={block: True})
    for write in (
        lambda: index.add([record(3)], findable=True),
        lambda: index.patch_access({record_id(1): access([])}),
        lambda: index.delete(ids(2)),
    ):
        with pytest.raises(StoreFull, match="disk is full"):
            write()
    assert found(index) == ids(1, 2)
    opensearch_client.indices.put_settings(index=name, body={block: None})
    index.patch_access({record_id(1): access([])})
    index.delete(ids(2))
    assert index.add([record(3)], findable=True) == {}
    index.refresh()
    assert found(index) == ids(3)


def test_compacting_leaves_no_deleted_records_or_says_so(
    index: OpenSearchIndex, opensearch_client: OpenSearch, name: str
) -> None:
    index.add([record(n) for n in range(50)], findable=True)
    index.delete(ids(7))
    done = index.compact()
    stats = opensearch_client.indices.stats(index=name, metric="docs")
    assert done == (stats["_all"]["total"]["docs"]["deleted"] == 0)
    assert stats["_all"]["total"]["docs"]["count"] == 49


def test_a_server_that_is_down_is_named_without_its_password() -> None:
    index = OpenSearchIndex(["http://ann:hunter2@127.0.0.1:9"], "lexical", settings=SETTINGS)
    with pytest.raises(StoreUnavailable, match=r"127\.0\.0\.1:9") as caught:
        index.create()
    assert "hunter2" not in str(caught.value)
    index.close()


def test_a_forked_process_takes_a_client_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = Connection(["http://127.0.0.1:9"], SETTINGS)
    parents = connection.client
    assert connection.client is parents
    monkeypatch.setattr(os, "getpid", lambda: 1)
    assert connection.client is not parents
    connection.close()
    parents.close()
