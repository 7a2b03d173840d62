"""Records: one appearance of a chunk in a generation, as both stores hold it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NewType

from ingest.model.access import Access
from ingest.model.chunk import HeadingPath

RecordId = NewType("RecordId", str)
"""A fresh UUID in its canonical text form (36 characters); the same id in catalog and both stores, never reused."""


@dataclass(frozen=True, slots=True)
class Record:
    """What the indexes are given of a record. Only `access` may ever change under an id."""

    id: RecordId
    document_id: int
    text: str
    heading_path: HeadingPath
    codes: tuple[str, ...]
    metadata: tuple[str, ...]
    """Filterable metadata as `key=value` words."""
    access: Access


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """What a store says it holds under an id, for the audit."""

    id: RecordId
    access: Access


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that a store proposes. `score` orders candidates of one answer and means nothing across stores."""

    id: RecordId
    score: float


Filters = Mapping[str, frozenset[str]]
"""Metadata filters: for every key the record must have one of the values. Empty: no filter."""
