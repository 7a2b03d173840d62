"""The filter inside every search."""

from collections.abc import Sequence

from qdrant_client import models

from ingest.adapters.points import ALLOW, DENY, FACETS, facet_words
from ingest.model.principal import Principal
from ingest.model.record import Filters


def readable_by(caller: frozenset[Principal], filters: Filters) -> models.Filter:
    """Points that admit the caller and have one of the values for every filtered key."""
    principals = sorted(caller)
    wanted = [_any(FACETS, words) for words in facet_words(filters)]
    return models.Filter(must=[_any(ALLOW, principals), *wanted], must_not=[_any(DENY, principals)])


def _any(field: str, words: Sequence[str]) -> models.FieldCondition:
    return models.FieldCondition(key=field, match=models.MatchAny(any=list(words)))
