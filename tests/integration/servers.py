"""Installations on real servers for a test: a PostgreSQL database, an OpenSearch index, a Qdrant collection."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

from pydantic import SecretStr
from qdrant_client import QdrantClient

from ingest.adapters.qdrant import Connection, QdrantIndex
from ingest.bootstrap import bootstrap, open_model
from ingest.lockstep import Lockstep
from ingest.ports import EmbeddingModel
from ingest.settings import OpenSearchLexical, Settings


@contextmanager
def vectors(dimension: int) -> Iterator[QdrantIndex]:
    """A collection of its own: on the server that LOCKSTEP_TEST_QDRANT_URL names, else in the client's local mode."""
    url = os.environ.get("LOCKSTEP_TEST_QDRANT_URL")
    client = None if url else QdrantClient(":memory:")
    connection = Connection(client or str(url), api_key=os.environ.get("LOCKSTEP_TEST_QDRANT_API_KEY"))
    index = QdrantIndex(connection, f"lockstep-test-{uuid4().hex}", dimension=dimension)
    try:
        yield index
    finally:
        index.drop()
        connection.close()
        if client is not None:
            client.close()


def on_servers(settings: Settings, postgres_database: str, opensearch_url: str) -> Settings:
    """The same settings with catalog and lexical index on servers. Records are findable sooner than by default."""
    lexical = OpenSearchLexical(kind="opensearch", hosts=(opensearch_url,), refresh_interval_s=0.05)
    return settings.model_copy(update={"catalog": SecretStr(postgres_database), "lexical": lexical})


@contextmanager
def opened(settings: Settings, model: EmbeddingModel | None = None) -> Iterator[Lockstep]:
    """Open an installation on servers, and remove its indexes afterwards. The vector index is injected."""
    model = model or open_model(settings.model)
    with vectors(model.dimension) as vector, bootstrap(settings, model=model, vector=vector) as lockstep:
        try:
            yield lockstep
        finally:
            lockstep.lexical.drop()
