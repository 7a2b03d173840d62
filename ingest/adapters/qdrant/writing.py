"""Writes to a collection: each waits, by explicit ids, and only `completed` counts as done."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from qdrant_client import QdrantClient, models

from ingest.adapters.points import (
    MOST_BYTES,
    access_payload,
    batches,
    by_access,
    first_of_each,
    pages,
    payload,
    point_bytes,
)
from ingest.adapters.qdrant.connection import Connection
from ingest.adapters.qdrant.errors import STORE, PointsMissing, WriteRefused, translated
from ingest.errors import StoreUnavailable
from ingest.model.access import Access
from ingest.model.record import Record, RecordId
from ingest.ports import FloatMatrix, FloatVector

PATCH_ATTEMPTS: Final = 3
"""Each is spoilt only by a point that is deleted between the question and the patch."""


class Writer:
    """Adds, patches and deletes points of one collection."""

    def __init__(self, connection: Connection, collection: str, dimension: int, *, ordered: bool) -> None:
        """`ordered`: replicas apply writes in one order, or could stay apart for good."""
        self._connection = connection
        self._collection = collection
        self._dimension = dimension
        self._ordering = models.WriteOrdering.STRONG if ordered else None

    def add(self, records: Sequence[Record], rows: FloatMatrix) -> dict[RecordId, str]:
        """Insert what is not there; returns what is refused for good, with the reason."""
        refused: dict[RecordId, str] = {}
        for batch in batches(self._sized(first_of_each(records, rows), refused)):
            refused |= self._insert(batch)
        return refused

    def patch(self, changes: Mapping[RecordId, Access]) -> list[RecordId]:
        """Set access fields; returns the ids that are not there."""
        missing: list[RecordId] = []
        sized = ((id_, point_bytes({"facets": (), **access_payload(changes[id_])}, 0)) for id_ in changes)
        for batch in batches(sized):
            missing += self._patch({id_: changes[id_] for id_ in batch})
        return sorted(missing)

    def delete(self, ids: Sequence[RecordId]) -> None:
        """Delete points, tolerating those already gone."""
        for page in pages(ids):
            selector = models.PointIdsList(points=list(page))
            with self._client() as client:
                self._done(client.delete(self._collection, selector, wait=True, ordering=self._ordering))

    def _sized(
        self, rows: Iterable[tuple[Record, FloatVector]], refused: dict[RecordId, str]
    ) -> Iterator[tuple[models.PointStruct, int]]:
        for record, row in rows:
            fields = payload(record)
            size = point_bytes(fields, self._dimension)
            if size > MOST_BYTES:
                refused[record.id] = f"its {size:,} bytes are more than a request may have"
            else:
                yield models.PointStruct(id=record.id, vector=row.tolist(), payload=fields), size

    def _insert(self, points: Sequence[models.PointStruct]) -> dict[RecordId, str]:
        try:
            with self._client() as client:
                self._done(
                    client.upsert(
                        self._collection,
                        points,
                        wait=True,
                        ordering=self._ordering,
                        update_mode=models.UpdateMode.INSERT_ONLY,
                    )
                )
        except WriteRefused as refusal:
            if len(points) == 1:
                return {RecordId(str(points[0].id)): str(refusal)}
            middle = len(points) // 2  # one record must not take the others with it
            return self._insert(points[:middle]) | self._insert(points[middle:])
        return {}

    def _patch(self, changes: Mapping[RecordId, Access]) -> set[RecordId]:
        """The server patches the others when one id is missing, but then says 404 for all: so it is asked first."""
        for _ in range(PATCH_ATTEMPTS):
            there = self._existing(list(changes))
            operations = [
                models.SetPayloadOperation(
                    set_payload=models.SetPayload(payload=access_payload(access), points=list(ids))
                )
                for access, ids in by_access({id_: changes[id_] for id_ in there}).items()
            ]
            try:
                if operations:
                    with self._client() as client:
                        self._done(
                            *client.batch_update_points(
                                self._collection, operations, wait=True, ordering=self._ordering
                            )
                        )
            except PointsMissing:
                continue
            return changes.keys() - there
        raise StoreUnavailable(STORE, self._connection.host, "points vanish while they are patched")

    def _existing(self, ids: Sequence[RecordId]) -> set[RecordId]:
        with self._client() as client:
            points = client.retrieve(self._collection, ids, with_payload=False, with_vectors=False)
        return {RecordId(str(point.id)) for point in points}

    def _done(self, *results: models.UpdateResult) -> None:
        for result in results:
            if result.status != models.UpdateStatus.COMPLETED:
                raise StoreUnavailable(STORE, self._connection.host, f"outcome unknown: {result.status.value}")

    @contextmanager
    def _client(self) -> Iterator[QdrantClient]:
        with translated(self._connection.host, self._collection), self._connection.client() as client:
            yield client
