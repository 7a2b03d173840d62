"""Plan: open records against the content's chunks. Pure; also what `lockstep plan` shows."""

from collections.abc import Sequence
from dataclasses import dataclass

from ingest.catalog.records import OpenRecord
from ingest.model.chunk import Chunk, ChunkId
from ingest.model.order_key import keys_between, longest_run
from ingest.model.record import RecordId


@dataclass(frozen=True, slots=True)
class Addition:
    """A chunk that needs a record, with its place in the document."""

    chunk: Chunk
    order_key: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What brings one document to one content version in one generation."""

    document_id: int
    version: int
    add: tuple[Addition, ...] = ()
    keep: frozenset[RecordId] = frozenset()
    close: frozenset[RecordId] = frozenset()
    reorder: tuple[tuple[RecordId, str], ...] = ()
    """Kept records that moved within the document, with their new order keys. Costs no index write."""


def plan_document(document_id: int, version: int, open_records: Sequence[OpenRecord], chunks: Sequence[Chunk]) -> Plan:
    """Compare chunks, in document order, with the open records. Lost records are closed and their chunks added."""
    usable: dict[ChunkId, OpenRecord] = {}
    for record in open_records:
        if not record.lost:
            usable.setdefault(record.chunk, record)
    kept = [usable.get(chunk.id) for chunk in chunks]
    keys, moved = _place(kept)
    add = tuple(Addition(chunk, key) for chunk, key, record in zip(chunks, keys, kept, strict=True) if record is None)
    keep = frozenset(record.id for record in kept if record is not None)
    close = frozenset(record.id for record in open_records if record.id not in keep)
    return Plan(document_id, version, add, keep, close, moved)


def _place(kept: Sequence[OpenRecord | None]) -> tuple[list[str], tuple[tuple[RecordId, str], ...]]:
    """Order keys for every chunk: the longest run of kept records in order stays, everything else goes between."""
    positions = [position for position, record in enumerate(kept) if record is not None]
    old = [record.order_key for record in kept if record is not None]
    fixed = {positions[i]: old[i] for i in longest_run(old)}
    keys: list[str] = []
    low: str | None = None
    gap = 0
    for position in range(len(kept) + 1):
        if position < len(kept) and position not in fixed:
            gap += 1
            continue
        high = fixed.get(position)
        keys += keys_between(low, high, gap)
        gap = 0
        if high is not None:
            keys.append(high)
            low = high
    moved = tuple(
        (record.id, key) for record, key in zip(kept, keys, strict=True) if record and record.order_key != key
    )
    return keys, moved
