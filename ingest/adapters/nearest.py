"""The order of nearest neighbours, the same for every engine."""

from collections.abc import Callable, Iterable

from ingest.model.record import Candidate, RecordId

DIGITS = 6
"""Cosines that agree in so many decimals are equal: the order of float32 sums differs from place to place."""

WIDEST = 16
"""How many times `limit` may be asked for to see all equals of the last place."""

Ask = Callable[[int], Iterable[tuple[RecordId, float]]]


def nearest(ask: Ask, limit: int) -> list[Candidate]:
    """The best `limit` of what `ask(n)` says are the n nearest, best first, equals by id.

    Copies of one text have equal vectors. When the cut goes through equals, more are asked for, so that the lowest
    ids stay; an engine with more than 16 × `limit` equals chooses among them itself.
    """
    wanted = limit + 1
    while limit > 0:
        hits = [Candidate(id_, round(score, DIGITS)) for id_, score in ask(wanted)]
        hits.sort(key=lambda hit: (-hit.score, hit.id))
        cut_through_equals = len(hits) >= wanted and hits[-1].score == hits[limit - 1].score
        if not cut_through_equals or wanted >= WIDEST * limit:
            return hits[:limit]
        wanted = min(wanted * 4, WIDEST * limit)
    return []
