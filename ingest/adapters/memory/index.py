"""What the fakes of both index ports share: what is stored, and what searches may see of it."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from threading import RLock
from typing import TypeVar

from ingest.adapters.memory.faults import Faults
from ingest.adapters.memory.filters import passes
from ingest.errors import GenerationGone
from ingest.model.access import Access
from ingest.model.principal import Principal
from ingest.model.record import Candidate, Filters, Record, RecordId, StoredRecord

ItemT = TypeVar("ItemT")
Refuses = Callable[[Record], str | None]


class MemoryIndex:
    """The least convenient behaviour that the contract allows.

    Records, patches and deletes are held back from searches until `refresh`; adding findable records shows these
    and nothing else. `ids` and `fetch` see everything at once. Items of a call are applied in the caller's order.
    """

    def __init__(self, *, faults: Faults | None = None, refuses: Refuses = lambda _: None) -> None:
        """`refuses` gives the reason for which a record is refused for good, or None."""
        self.faults = faults or Faults()
        self._refuses = refuses
        self._lock = RLock()
        self._stored: dict[RecordId, Record] | None = None
        self._searchable: dict[RecordId, Record] = {}

    def create(self) -> None:
        """See `Index.create`."""
        with self._lock:
            self._commit("create")
            if self._stored is None:
                self._stored = {}

    def drop(self) -> None:
        """See `Index.drop`."""
        with self._lock:
            self._commit("drop")
            self._stored, self._searchable = None, {}

    def refresh(self) -> None:
        """See `Index.refresh`."""
        with self._lock:
            self._commit("refresh")
            self._searchable = dict(self._there())

    def patch_access(self, changes: Mapping[RecordId, Access]) -> Collection[RecordId]:
        """See `Index.patch_access`."""
        missing: list[RecordId] = []

        def patch(change: tuple[RecordId, Access]) -> None:
            there, (id_, access) = self._there(), change
            if id_ in there:
                there[id_] = replace(there[id_], access=access)
            else:
                missing.append(id_)

        with self._lock:
            self._apply("patch_access", list(changes.items()), patch)
        return missing

    def delete(self, ids: Collection[RecordId]) -> None:
        """See `Index.delete`."""
        if not ids:
            raise ValueError("no ids to delete: an empty list is refused")
        with self._lock:
            self._apply("delete", list(ids), lambda id_: self._there().pop(id_, None))

    def ids(self, *, after: RecordId | None, limit: int) -> Sequence[StoredRecord]:
        """See `Index.ids`."""
        with self._lock:
            self._commit("ids")
            later = sorted(id_ for id_ in self._there() if after is None or id_ > after)
            return list(self.fetch(later[:limit]).values())

    def fetch(self, ids: Collection[RecordId]) -> Mapping[RecordId, StoredRecord]:
        """See `Index.fetch`."""
        with self._lock:
            self._commit("fetch")
            there = self._there()
            return {id_: StoredRecord(id_, there[id_].access) for id_ in ids if id_ in there}

    def flush(self) -> None:
        """See `Index.flush`."""
        with self._lock:
            self._commit("flush")

    def compact(self) -> bool:
        """See `Index.compact`."""
        with self._lock:
            self._commit("compact")
            return True

    def close(self) -> None:
        """Nothing to release."""

    def _insert(self, records: Sequence[Record], *, findable: bool) -> Mapping[RecordId, str]:
        refused: dict[RecordId, str] = {}

        def insert(record: Record) -> None:
            if reason := self._refuses(record):
                refused[record.id] = reason
            else:
                self._there().setdefault(record.id, record)

        with self._lock:
            self._apply("add", records, insert)
            if findable:
                self._show(record.id for record in records)
        return refused

    def _show(self, ids: Iterable[RecordId]) -> None:
        there = self._there()
        self._searchable.update((id_, there[id_]) for id_ in ids if id_ in there)

    def _admitted(self, caller: frozenset[Principal], filters: Filters) -> dict[RecordId, Record]:
        """What a search may propose to this caller."""
        self._there()
        return {
            id_: record
            for id_, record in self._searchable.items()
            if record.access.admits(caller) and passes(record.metadata, filters)
        }

    def _there(self) -> dict[RecordId, Record]:
        if self._stored is None:
            raise GenerationGone("the index in memory was not created, or was dropped")
        return self._stored

    def _apply(self, call: str, items: Sequence[ItemT], act: Callable[[ItemT], object]) -> None:
        """Apply the call to its items, or to those that come before its fault."""
        fault = self.faults.take(call)
        self._there()
        for item in items if fault is None else items[: fault.share(len(items))]:
            act(item)
        if fault is not None:
            raise fault.error

    def _commit(self, call: str) -> None:
        if fault := self.faults.take(call):
            raise fault.error


def best(scores: Mapping[RecordId, float], limit: int) -> list[Candidate]:
    """The highest scores first, equals by id."""
    ordered = sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))
    return [Candidate(id_, score) for id_, score in ordered[:limit]]
