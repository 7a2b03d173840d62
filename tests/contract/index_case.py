"""What an adapter's test class tells the shared cases: how to add records and how to ask."""

from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from ingest.model.principal import Principal
from ingest.model.record import Filters, Record, RecordId
from ingest.ports import Index
from tests.contract.records import NO_FILTER, READER

IndexT = TypeVar("IndexT", bound=Index)


class IndexCase(Generic[IndexT]):
    """Base of all shared cases. An adapter's class also has a fixture `index`: a fresh one, created,
    and closed at the end."""

    crowd = 10_000
    """How many records may hide the few that a reader is allowed to read."""

    def add(self, index: IndexT, records: Sequence[Record], *, findable: bool = True) -> Mapping[RecordId, str]:
        """Add records; a vector index derives their vectors from the texts NEAR and FAR."""
        raise NotImplementedError

    def found(
        self,
        index: IndexT,
        *,
        caller: frozenset[Principal] = READER,
        filters: Filters = NO_FILTER,
        limit: int = 10,
    ) -> list[RecordId]:
        """The ids that QUESTION finds, best first: records with text NEAR, then those with FAR."""
        raise NotImplementedError
