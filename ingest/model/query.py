"""Questions and answers."""

from dataclasses import dataclass, field

from ingest.model.principal import Principal
from ingest.model.record import Filters, RecordId


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and by whom: `caller` is stated by whoever is trusted to authenticate."""

    text: str
    caller: frozenset[Principal]
    limit: int = 10
    filters: Filters = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Leg:
    """One search's part in a hit's score: its name, the rank among what the caller may see (from 1), its own score."""

    name: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """One record that the caller may read, with its text."""

    id: RecordId
    document: str
    """The document's key now."""
    source: str
    title: str
    link: str
    heading_path: tuple[str, ...]
    text: str
    score: float
    """Reciprocal rank fusion; hits on an exact code stand before all others whatever their score."""
    legs: tuple[Leg, ...]
    since_version: int
    """The content version of the document that brought this text."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one published state holds for a question."""

    hits: tuple[Hit, ...]
    generation: int
    epoch: int
    truncated: bool
    """Fewer hits than asked for, although deeper search might have found more."""
    pending: int
    """Texts left out because they were out of date when access to them was widened; their new version is on its way."""
