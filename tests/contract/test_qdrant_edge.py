"""The embedded vector index keeps the contract."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.adapters.qdrant_edge.index import QdrantEdgeIndex
from ingest.ports import VectorIndex
from tests.contract.vector_index import DIMENSION, VectorIndexContract


class TestQdrantEdge(VectorIndexContract):
    """The whole contract."""

    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[VectorIndex]:
        index = QdrantEdgeIndex(tmp_path / "vectors", dimension=DIMENSION)
        index.create()
        yield index
        index.close()
