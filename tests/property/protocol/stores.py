"""The fakes, with a point before every call that writes, and with what a network may do to such a call."""

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from ingest.adapters.memory.embedding_model import MemoryEmbeddingModel
from ingest.adapters.memory.faults import Fault, Faults
from ingest.adapters.memory.lexical_index import MemoryLexicalIndex
from ingest.adapters.memory.vector_index import MemoryVectorIndex
from ingest.errors import ModelBusy, StoreUnavailable
from ingest.failpoints import failpoint
from ingest.model.access import NOBODY, Access
from ingest.model.principal import Principal
from ingest.model.record import Record, RecordId
from ingest.ports import FloatMatrix

UNSTORABLE = "unstorable"
UNEMBEDDABLE = "unembeddable"
Patched = Callable[[Collection[RecordId]], None]


def refuses(record: Record) -> str | None:
    """What a store refuses for good."""
    return "it says so" if UNSTORABLE in record.text else None


class Losing(Protocol):
    """A store that a test can take records from, and slip records into."""

    def findable(self) -> Collection[RecordId]: ...

    def lose(self, record: RecordId) -> None: ...

    def stray(self, like: RecordId, record: RecordId) -> RecordId: ...


class Sent:
    """Calls of `add` that a network may deliver once more, late."""

    def __init__(self) -> None:
        self.again: list[Callable[[], object]] = []

    def deliver(self, rng: random.Random) -> bool:
        """Deliver one again; False when there is none."""
        if not self.again:
            return False
        with suppress(StoreUnavailable):
            at = rng.randrange(max(0, len(self.again) - 6), len(self.again))  # mostly one of the newest
            self.again[at]()
        return True


class LexicalStore(MemoryLexicalIndex):
    """The lexical fake between points."""

    def __init__(self, sent: Sent, patched: Patched) -> None:
        super().__init__(refuses=refuses)
        self._sent = sent
        self._patched = patched
        self.writes = 0

    def add(self, records: Sequence[Record], *, findable: bool) -> Mapping[RecordId, str]:
        failpoint("lexical.add")
        self._sent.again.append(lambda: super(LexicalStore, self).add(records, findable=True))
        self.writes += len(records)
        return super().add(records, findable=findable)

    def patch_access(self, changes: Mapping[RecordId, Access]) -> Collection[RecordId]:
        failpoint("lexical.patch_access")
        self._patched(changes)
        self.writes += len(changes)
        return super().patch_access(changes)

    def delete(self, ids: Collection[RecordId]) -> None:
        failpoint("lexical.delete")
        self.writes += len(ids)
        super().delete(ids)

    def admitted(self, caller: frozenset[Principal]) -> frozenset[RecordId]:
        """What a search can find for this caller now."""
        return frozenset(i for i, record in self._searchable.items() if record.access.admits(caller))

    def findable(self) -> Collection[RecordId]:
        """What a search can find for anybody now."""
        return self._searchable.keys()

    def fields(self, record: RecordId) -> Access:
        """What is stored, findable or not; NOBODY for a record that is not there."""
        found = self._there().get(record)
        return found.access if found else NOBODY

    def lose(self, record: RecordId) -> None:
        """What a restore from an old backup does."""
        self._there().pop(record, None)
        self._searchable.pop(record, None)

    def stray(self, like: RecordId, record: RecordId) -> RecordId:
        """What a restore from an old backup does, too: a record that the catalog forgot long ago."""
        self._there()[record] = self._searchable[record] = replace(self._searchable[like], id=record)
        return record


class VectorStore(MemoryVectorIndex):
    """The vector fake between points."""

    def __init__(self, sent: Sent, patched: Patched, dimension: int) -> None:
        super().__init__(dimension=dimension, refuses=refuses)
        self._sent = sent
        self._patched = patched
        self.writes = 0

    def add(self, records: Sequence[Record], vectors: FloatMatrix, *, findable: bool) -> Mapping[RecordId, str]:
        failpoint("vector.add")
        self._sent.again.append(lambda: super(VectorStore, self).add(records, vectors, findable=True))
        self.writes += len(records)
        return super().add(records, vectors, findable=findable)

    def patch_access(self, changes: Mapping[RecordId, Access]) -> Collection[RecordId]:
        failpoint("vector.patch_access")
        self._patched(changes)
        self.writes += len(changes)
        return super().patch_access(changes)

    def delete(self, ids: Collection[RecordId]) -> None:
        failpoint("vector.delete")
        self.writes += len(ids)
        super().delete(ids)

    def admitted(self, caller: frozenset[Principal]) -> frozenset[RecordId]:
        """What a search can find for this caller now."""
        return frozenset(i for i, record in self._searchable.items() if record.access.admits(caller))

    def findable(self) -> Collection[RecordId]:
        """What a search can find for anybody now."""
        return self._searchable.keys()

    def fields(self, record: RecordId) -> Access:
        """What is stored, findable or not; NOBODY for a record that is not there."""
        found = self._there().get(record)
        return found.access if found else NOBODY

    def lose(self, record: RecordId) -> None:
        """What a restore from an old backup does."""
        self._there().pop(record, None)
        self._searchable.pop(record, None)

    def stray(self, like: RecordId, record: RecordId) -> RecordId:
        """What a restore from an old backup does, too: a record that the catalog forgot long ago."""
        self._there()[record] = self._searchable[record] = replace(self._searchable[like], id=record)
        self._vectors[record] = self._vectors[like]
        return record


class Model(MemoryEmbeddingModel):
    """The stand-in model; `computing` is told every passage before it is embedded."""

    def __init__(self, computing: Callable[[Sequence[str]], None], faults: Faults) -> None:
        super().__init__(dimension=16, refuse=lambda text: "it says so" if UNEMBEDDABLE in text else None)
        self._computing = computing
        self._faults = faults

    def embed_passages(self, inputs: Sequence[str]) -> FloatMatrix:
        failpoint("model.embed")
        if fault := self._faults.take("embed"):
            raise fault.error
        self._computing(inputs)
        return super().embed_passages(inputs)


BUSY = Fault(error=ModelBusy("memory", 1.0))
