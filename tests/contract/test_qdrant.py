"""The vector index of servers keeps the contract: in the client's local mode, and on a server where one is named."""

import os
from collections.abc import Iterator
from uuid import uuid4

import pytest
from qdrant_client import QdrantClient, models

from ingest.adapters.points import FILTER_FIELDS
from ingest.adapters.qdrant import Connection, QdrantIndex, QdrantSettings
from ingest.errors import ForeignIndex
from ingest.ports import VectorIndex
from tests.contract.vector_index import DIMENSION, VectorIndexContract

EXACT = QdrantSettings(exact=True)
SERVER = os.environ.get("LOCKSTEP_TEST_QDRANT_URL")


class CollectionContract(VectorIndexContract):
    """Cases about collections. Subclasses have a fixture `connection`."""

    @pytest.fixture
    def collection(self, connection: Connection) -> Iterator[str]:
        name = f"lockstep-test-{uuid4().hex}"
        yield name
        with connection.client() as client:
            client.delete_collection(name)

    @pytest.fixture
    def index(self, connection: Connection, collection: str) -> VectorIndex:
        index = QdrantIndex(connection, collection, dimension=DIMENSION, settings=EXACT)
        index.create()
        return index

    @pytest.mark.parametrize(
        ("size", "distance", "metadata"),
        [
            (DIMENSION + 1, models.Distance.COSINE, {"lockstep": 1}),
            (DIMENSION, models.Distance.DOT, {"lockstep": 1}),
            (DIMENSION, models.Distance.COSINE, None),
        ],
    )
    def test_a_collection_of_another_shape_is_foreign(
        self,
        connection: Connection,
        collection: str,
        size: int,
        distance: models.Distance,
        metadata: dict[str, object] | None,
    ) -> None:
        with connection.client() as client:
            vectors = models.VectorParams(size=size, distance=distance)
            client.create_collection(collection, vectors_config=vectors, metadata=metadata)
        with pytest.raises(ForeignIndex, match=collection):
            QdrantIndex(connection, collection, dimension=DIMENSION).create()


class TestQdrantLocal(CollectionContract):
    """The client's own imitation of a server."""

    @pytest.fixture
    def connection(self) -> Iterator[Connection]:
        client = QdrantClient(":memory:")
        yield Connection(client)
        client.close()


if SERVER is not None:

    class TestQdrantServer(CollectionContract):
        """A real server."""

        @pytest.fixture
        def connection(self) -> Iterator[Connection]:
            connection = Connection(str(SERVER), api_key=os.environ.get("LOCKSTEP_TEST_QDRANT_API_KEY"))
            yield connection
            connection.close()

        def test_every_filter_field_has_an_index(
            self, index: VectorIndex, connection: Connection, collection: str
        ) -> None:
            """F28; strict mode makes every other case of this class fail where one is missing."""
            with connection.client() as client:
                info = client.get_collection(collection)
            keyword = models.PayloadSchemaType.KEYWORD
            assert {name: field.data_type for name, field in info.payload_schema.items()} == dict.fromkeys(
                FILTER_FIELDS, keyword
            )
            assert info.config.strict_mode_config is not None
            assert info.config.strict_mode_config.unindexed_filtering_retrieve is False
