"""The vector index of the embedded profile."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import qdrant_edge as edge

from ingest.adapters.nearest import nearest
from ingest.adapters.points import (
    ACCESS_FIELDS,
    access_of,
    access_payload,
    batches,
    by_access,
    first_of_each,
    pages,
    payload,
    point_bytes,
)
from ingest.adapters.qdrant_edge.errors import translated
from ingest.adapters.qdrant_edge.opening import Opening
from ingest.adapters.qdrant_edge.settings import QdrantEdgeSettings
from ingest.adapters.qdrant_edge.shard import WRITTEN, readable_by, written_in
from ingest.adapters.vectors import unit_rows, unit_vector
from ingest.model.access import Access
from ingest.model.principal import Principal
from ingest.model.record import Candidate, Filters, Record, RecordId, StoredRecord
from ingest.ports import FloatMatrix, FloatVector

DEFAULTS = QdrantEdgeSettings()


class QdrantEdgeIndex:
    """Qdrant Edge in one directory. What a call wrote is found at once, and survives the end of the process.

    Nothing is opened before the first call. A directory that another process holds: AlreadyRunning. A shard that is
    damaged or of another dimension: ForeignIndex; `drop`, `create` and filling it again from the catalog is the cure.
    """

    def __init__(self, directory: Path, *, dimension: int, settings: QdrantEdgeSettings = DEFAULTS) -> None:
        self._directory = directory
        self._dimension = dimension
        self._settings = settings
        self._opening = Opening(directory, dimension, settings)

    def create(self) -> None:
        """See `Index.create`. Also removes what a killed process left of a copy."""
        self._opening.create()

    def drop(self) -> None:
        """See `Index.drop`. Works on a damaged index too."""
        self._opening.drop()

    def close(self) -> None:
        """Wait for searches, end a running optimisation, release the lock; `create` opens it again."""
        self._opening.close()

    def refresh(self) -> None:
        """See `Index.refresh`: everything written is findable already."""
        self._opening.live()

    def add(self, records: Sequence[Record], vectors: FloatMatrix, *, findable: bool) -> Mapping[RecordId, str]:  # noqa: ARG002
        """See `VectorIndex.add`."""
        rows = unit_rows(vectors, rows=len(records), dimension=self._dimension)
        live = self._opening.live()
        points = [(record.id, row, payload(record)) for record, row in first_of_each(records, rows)]
        for batch in batches((point, point_bytes(point[2], self._dimension)) for point in points):
            self._opening.need_space()
            with live.writing([id_ for id_, _, _ in batch]) as used, translated(self._directory):
                new = [edge.Point(id_, row.tolist(), {**rest, WRITTEN: used.number}) for id_, row, rest in batch]
                used.shard.update(edge.UpdateOperation.upsert_points(new, update_mode=edge.UpdateMode.InsertOnly))
        return {}

    def search(
        self, vector: FloatVector, *, caller: frozenset[Principal], filters: Filters, limit: int
    ) -> Sequence[Candidate]:
        """See `VectorIndex.search`."""
        asked = edge.Query.Nearest(unit_vector(vector, dimension=self._dimension).tolist())
        readable = readable_by(caller, filters)
        live = self._opening.live()

        def ask(wanted: int) -> list[tuple[RecordId, float]]:
            hits = used.shard.query(edge.QueryRequest(wanted, query=asked, filter=readable, with_payload=False))
            return [(RecordId(str(hit.id)), hit.score) for hit in hits]

        with live.reading() as used, translated(self._directory):
            return nearest(ask, limit)

    def patch_access(self, changes: Mapping[RecordId, Access]) -> Collection[RecordId]:
        """See `Index.patch_access`. A patch takes points out of the graph until the next optimisation."""
        missing: list[RecordId] = []
        live = self._opening.live()
        for access, ids in by_access(changes).items():
            for page in pages(ids):
                with live.writing(page) as used, translated(self._directory):
                    # Asked first, while no other write runs: the engine patches the others and then raises.
                    there = {str(stored.id) for stored in used.shard.retrieve(list(page), False, False)}
                    missing += [id_ for id_ in page if id_ not in there]
                    fields = {**access_payload(access), WRITTEN: used.number}
                    if there:
                        used.shard.update(edge.UpdateOperation.set_payload(list(there), fields))
        return missing

    def delete(self, ids: Collection[RecordId]) -> None:
        """See `Index.delete`."""
        if not ids:
            raise ValueError("no ids to delete: an empty list is refused")
        live = self._opening.live()
        with live.writing(ids) as used, translated(self._directory):
            used.shard.update(edge.UpdateOperation.delete_points(list(ids)))

    def ids(self, *, after: RecordId | None, limit: int) -> Sequence[StoredRecord]:
        """See `Index.ids`. The engine's order of UUIDs is that of their text."""
        with self._opening.live().reading() as used, translated(self._directory):
            request = edge.ScrollRequest(offset=after, limit=limit + 1, with_payload=ACCESS_FIELDS, with_vector=False)
            stored, _ = used.shard.scroll(request)
        found = [_stored(point) for point in stored if str(point.id) != after]  # the engine begins at `after` itself
        return found[:limit]

    def fetch(self, ids: Collection[RecordId]) -> Mapping[RecordId, StoredRecord]:
        """See `Index.fetch`."""
        with self._opening.live().reading() as used, translated(self._directory):
            points = used.shard.retrieve(list(ids), ACCESS_FIELDS, False)
        return {stored.id: stored for stored in map(_stored, points)}

    def flush(self) -> None:
        """See `Index.flush`. Takes 30–100 ms, during which searches and other threads wait."""
        with self._opening.live().reading() as used, translated(self._directory):
            used.shard.flush()

    def compact(self) -> bool:
        """See `Index.compact`. Writes what is stored into a new shard, in a child process; searches go on."""
        self._opening.optimise(rewrite=True)
        return True

    def needs_optimising(self) -> bool:
        """Whether enough was added or patched since the last time."""
        with self._opening.live().reading() as used, translated(self._directory):
            return used.shard.count(written_in(used.number)) > self._settings.optimise_after_points

    def optimise(self) -> None:
        """Build the graph on a copy, in a child process, and exchange the shard for it; searches and writes go on.
        Takes seconds to minutes. Raises StoreUnavailable or StoreFull; nothing has changed then.
        """
        self._opening.optimise()


def _stored(point: edge.Record) -> StoredRecord:
    return StoredRecord(RecordId(str(point.id)), access_of(point.payload))
