"""The OpenSearch adapter keeps the contract, on a real node."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from opensearchpy import OpenSearch

from ingest.adapters.opensearch import OpenSearchIndex, OpenSearchSettings
from ingest.ports import LexicalIndex
from tests.contract.lexical_english import WordFormContract
from tests.contract.lexical_index import LexicalIndexContract

ONE_NODE = OpenSearchSettings(replicas=0, refresh_interval_ms=50)


class TestOpenSearch(LexicalIndexContract, WordFormContract):
    """The whole contract."""

    crowd = 2_000

    @pytest.fixture
    def index(self, opensearch_client: OpenSearch) -> Iterator[LexicalIndex]:
        index = OpenSearchIndex(opensearch_client, f"lexical-{uuid4().hex}", settings=ONE_NODE)
        index.create()
        yield index
        index.drop()
        index.close()
