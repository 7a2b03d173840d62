"""Reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009), over the ranks of survivors only."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from ingest.model.query import Leg
from ingest.model.record import Candidate, RecordId

RANK_CONSTANT = 60
CODES = "codes"


@dataclass(frozen=True, slots=True)
class Fused:
    """A record with its fused score and the legs that found it."""

    id: RecordId
    score: float
    legs: tuple[Leg, ...]

    @property
    def has_code(self) -> bool:
        """Whether the exact-code lookup found it."""
        return any(leg.name == CODES for leg in self.legs)


def fuse(legs: Mapping[str, Sequence[Candidate]], survivors: Set[RecordId]) -> list[Fused]:
    """Merge the legs' candidates that survived the decision: score = sum of 1 / (60 + rank).

    Records with an exact code of the question come first; ties are broken by id, so the order is deterministic.
    """
    found: dict[RecordId, list[Leg]] = {}
    for name, candidates in legs.items():
        rank = 0
        for candidate in candidates:
            if candidate.id in survivors:
                rank += 1
                found.setdefault(candidate.id, []).append(Leg(name, rank, candidate.score))
    fused = [
        Fused(record, sum(1.0 / (RANK_CONSTANT + leg.rank) for leg in parts), tuple(parts))
        for record, parts in found.items()
    ]
    return sorted(fused, key=lambda hit: (not hit.has_code, -hit.score, hit.id))
