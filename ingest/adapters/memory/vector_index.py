"""A vector index in memory, for tests: exact, and searches see only what was refreshed."""

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from ingest.adapters.memory.faults import Faults
from ingest.adapters.memory.index import MemoryIndex, best
from ingest.adapters.nearest import DIGITS
from ingest.adapters.vectors import unit_rows, unit_vector
from ingest.model.principal import Principal
from ingest.model.record import Candidate, Filters, Record, RecordId
from ingest.ports import FloatMatrix, FloatVector


class MemoryVectorIndex(MemoryIndex):
    """Cosine against every record that the caller may see."""

    def __init__(
        self,
        *,
        dimension: int,
        faults: Faults | None = None,
        refuses: Callable[[Record], str | None] = lambda _: None,
    ) -> None:
        """`refuses` gives the reason for which a record is refused for good, or None."""
        super().__init__(faults=faults, refuses=refuses)
        self._dimension = dimension
        self._vectors: dict[RecordId, FloatVector] = {}

    def create(self) -> None:
        """See `Index.create`."""
        with self._lock:
            if self._stored is None:
                self._vectors = {}  # also those of an index that was dropped
            super().create()

    def add(self, records: Sequence[Record], vectors: FloatMatrix, *, findable: bool) -> Mapping[RecordId, str]:
        """See `VectorIndex.add`."""
        rows = unit_rows(vectors, rows=len(records), dimension=self._dimension)
        with self._lock:
            before = {record.id for record in records if record.id in (self._stored or {})}
            try:
                return self._insert(records, findable=findable)
            finally:  # a fault may have let some of them in
                self._keep(records, rows, before)

    def refresh(self) -> None:
        """See `Index.refresh`."""
        with self._lock:
            super().refresh()
            self._vectors = {id_: self._vectors[id_] for id_ in self._searchable}

    def search(
        self, vector: FloatVector, *, caller: frozenset[Principal], filters: Filters, limit: int
    ) -> Sequence[Candidate]:
        """See `VectorIndex.search`."""
        asked = unit_vector(vector, dimension=self._dimension).astype(np.float64)
        with self._lock:
            self._commit("search")
            admitted = list(self._admitted(caller, filters))
            if not admitted:
                return []
            matrix = np.stack([self._vectors[id_] for id_ in admitted]).astype(np.float64)
        cosines = np.round(matrix @ asked, DIGITS)
        return best(dict(zip(admitted, cosines.tolist(), strict=True)), limit)

    def _keep(self, records: Sequence[Record], rows: FloatMatrix, before: Collection[RecordId]) -> None:
        stored = self._stored or {}
        for record, row in zip(records, rows, strict=True):
            if record.id not in before and stored.get(record.id) is record:
                self._vectors[record.id] = row
