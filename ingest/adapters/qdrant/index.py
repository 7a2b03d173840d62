"""The vector index of servers."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from qdrant_client import QdrantClient, models

from ingest.adapters.nearest import nearest
from ingest.adapters.points import ACCESS_FIELDS, access_of, pages
from ingest.adapters.qdrant.collection import make
from ingest.adapters.qdrant.connection import Connection
from ingest.adapters.qdrant.errors import translated
from ingest.adapters.qdrant.examine import examine
from ingest.adapters.qdrant.query import readable_by
from ingest.adapters.qdrant.settings import QdrantSettings
from ingest.adapters.qdrant.writing import Writer
from ingest.adapters.vectors import unit_rows, unit_vector
from ingest.errors import GenerationGone
from ingest.model.access import Access
from ingest.model.principal import Principal
from ingest.model.record import Candidate, Filters, Record, RecordId, StoredRecord
from ingest.model.server_setting import ServerSetting
from ingest.ports import FloatMatrix, FloatVector

DEFAULTS: Final = QdrantSettings()


class QdrantIndex:
    """One collection of a Qdrant server (1.19 or newer), or of the client's local mode.

    Every write waits until it is applied, and searches find what was applied: nothing needs a refresh.
    """

    def __init__(
        self, connection: Connection, collection: str, *, dimension: int, settings: QdrantSettings = DEFAULTS
    ) -> None:
        self._connection = connection
        self._collection = collection
        self._dimension = dimension
        self._settings = settings
        self._writer = Writer(connection, collection, dimension, ordered=settings.replication_factor > 1)

    def create(self) -> None:
        """See `Index.create`. Raises Permanent for a server that is too old."""
        with translated(self._connection.host, self._collection):
            make(self._connection, self._collection, self._dimension, self._settings)

    def drop(self) -> None:
        """See `Index.drop`."""
        try:
            with self._client() as client:
                client.delete_collection(self._collection)
        except GenerationGone:
            pass

    def refresh(self) -> None:
        """See `Index.refresh`: everything written is findable already."""

    def add(self, records: Sequence[Record], vectors: FloatMatrix, *, findable: bool) -> Mapping[RecordId, str]:  # noqa: ARG002
        """See `VectorIndex.add`."""
        return self._writer.add(records, unit_rows(vectors, rows=len(records), dimension=self._dimension))

    def search(
        self, vector: FloatVector, *, caller: frozenset[Principal], filters: Filters, limit: int
    ) -> Sequence[Candidate]:
        """See `VectorIndex.search`."""
        asked = unit_vector(vector, dimension=self._dimension).tolist()
        readable = readable_by(caller, filters)
        exactly = models.SearchParams(exact=True) if self._settings.exact and not self._connection.local else None

        def ask(wanted: int) -> list[tuple[RecordId, float]]:
            with self._client() as client:
                answer = client.query_points(
                    self._collection,
                    query=asked,
                    query_filter=readable,
                    search_params=exactly,
                    limit=wanted,
                    with_payload=False,
                )
            return [(RecordId(str(point.id)), point.score) for point in answer.points]

        return nearest(ask, limit)

    def patch_access(self, changes: Mapping[RecordId, Access]) -> Collection[RecordId]:
        """See `Index.patch_access`."""
        return self._writer.patch(changes)

    def delete(self, ids: Collection[RecordId]) -> None:
        """See `Index.delete`."""
        if not ids:
            raise ValueError("no ids to delete: an empty list is refused")
        self._writer.delete(list(ids))

    def ids(self, *, after: RecordId | None, limit: int) -> Sequence[StoredRecord]:
        """See `Index.ids`. The server's order of UUIDs is that of their text."""
        with self._client() as client:
            points, _ = client.scroll(
                self._collection, offset=after, limit=limit + 1, with_payload=ACCESS_FIELDS, with_vectors=False
            )
        return [_stored(point) for point in points if str(point.id) != after][:limit]  # it begins at `after` itself

    def fetch(self, ids: Collection[RecordId]) -> Mapping[RecordId, StoredRecord]:
        """See `Index.fetch`."""
        found: dict[RecordId, StoredRecord] = {}
        for page in pages(list(ids)):
            with self._client() as client:
                points = client.retrieve(self._collection, page, with_payload=ACCESS_FIELDS, with_vectors=False)
            found |= {stored.id: stored for stored in map(_stored, points)}
        return found

    def flush(self) -> None:
        """See `Index.flush`: the server's log is flushed before a write that waits is answered."""

    def compact(self) -> bool:
        """See `Index.compact`: the server does it in its own time. It holds no words."""
        return False

    def examine(self) -> Sequence[ServerSetting]:
        """See `Examinable.examine`."""
        with self._client() as client:
            return examine(client, self._collection, local=self._connection.local)

    def close(self) -> None:
        """Close the connection of this process; indexes that share it open it again when they need it."""
        self._connection.close()

    @contextmanager
    def _client(self) -> Iterator[QdrantClient]:
        with translated(self._connection.host, self._collection), self._connection.client() as client:
            yield client


def _stored(point: models.Record) -> StoredRecord:
    return StoredRecord(RecordId(str(point.id)), access_of(point.payload))
