"""A record as a point of Qdrant, server or embedded: its payload, which holds no text, and batches of points."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from ingest.model.access import Access
from ingest.model.principal import Principal
from ingest.model.record import Filters, Record, RecordId
from ingest.ports import FloatMatrix, FloatVector

DOCUMENT: Final = "document"
ALLOW: Final = "allow"
DENY: Final = "deny"
FACETS: Final = "facets"

FILTER_FIELDS: Final = (ALLOW, DENY, FACETS)
"""Arrays of keywords that searches filter by. All indexes of payloads, in every generation, are made from this list."""

ACCESS_FIELDS: Final = [ALLOW, DENY]

MOST_POINTS: Final = 512
MOST_BYTES: Final = 24 * 1024 * 1024
"""Per write; Qdrant takes 32 MB, as a request and as a piece of its log."""

BYTES_PER_NUMBER: Final = 22
"""A float in JSON, with its comma."""

Payload = dict[str, Any]
ItemT = TypeVar("ItemT")


def payload(record: Record) -> Payload:
    """What a point carries beside its vector."""
    return {DOCUMENT: record.document_id, **access_payload(record.access), FACETS: sorted(record.metadata)}


def access_payload(access: Access) -> Payload:
    """The fields that a patch of access replaces."""
    return {ALLOW: sorted(access.allow), DENY: sorted(access.deny)}


def access_of(stored: Mapping[str, Any] | None) -> Access:
    """The access fields of a stored payload; absent is empty, and so nobody."""
    fields = stored or {}
    allow, deny = (frozenset(map(Principal, fields.get(name) or ())) for name in ACCESS_FIELDS)
    return Access(allow, deny)


def facet_words(filters: Filters) -> list[list[str]]:
    """Per filtered key the words of which a record must carry one."""
    return [sorted(f"{key}={value}" for value in values) for key, values in sorted(filters.items())]


def by_access(changes: Mapping[RecordId, Access]) -> dict[Access, list[RecordId]]:
    """Ids that get the same access fields, together."""
    groups: defaultdict[Access, list[RecordId]] = defaultdict(list)
    for id_, access in changes.items():
        groups[access].append(id_)
    return dict(groups)


def first_of_each(records: Sequence[Record], rows: FloatMatrix) -> list[tuple[Record, FloatVector]]:
    """Records with their vectors, in their order, the first of each id: within one write the engine would let the
    last of equal ids win."""
    first: dict[RecordId, tuple[Record, FloatVector]] = {}
    for record, row in zip(records, rows, strict=True):
        first.setdefault(record.id, (record, row))
    return list(first.values())


def point_bytes(fields: Payload, dimension: int) -> int:
    """About how many bytes a point takes in a request, rather more than less."""
    words = (word for name in FILTER_FIELDS for word in fields[name])
    return 200 + dimension * BYTES_PER_NUMBER + sum(len(word.encode()) + 3 for word in words)


def batches(sized: Iterable[tuple[ItemT, int]]) -> Iterator[list[ItemT]]:
    """Items in their order, at most MOST_POINTS and MOST_BYTES together; an item over the limit comes alone."""
    batch: list[ItemT] = []
    total = 0
    for item, size in sized:
        if batch and (len(batch) == MOST_POINTS or total + size > MOST_BYTES):
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += size
    if batch:
        yield batch


def pages(ids: Sequence[RecordId]) -> Iterator[Sequence[RecordId]]:
    """Ids in their order, at most MOST_POINTS together."""
    for start in range(0, len(ids), MOST_POINTS):
        yield ids[start : start + MOST_POINTS]
