"""Requests that search, as plain values."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ingest.adapters.opensearch.document import ACCESS_FIELDS
from ingest.adapters.opensearch.settings import OpenSearchSettings
from ingest.adapters.words import Question
from ingest.model.principal import Principal
from ingest.model.record import Filters, RecordId

MOST_HITS = 10_000
"""The server's limit for one answer."""
Query = dict[str, Any]


def best_first(query: Query, limit: int) -> Query:
    """The search for the highest scores, equals by id."""
    order = [{"_score": "desc"}, {"record": "asc"}]
    return {"query": query, "sort": order, "size": min(limit, MOST_HITS), "_source": False, "track_total_hits": False}


def page(after: RecordId | None, limit: int) -> Query:
    """The search for what is stored after an id."""
    rest = {} if after is None else {"search_after": [after]}
    wanted = {"query": {"match_all": {}}, "sort": [{"record": "asc"}], "size": min(limit, MOST_HITS)}
    return {**wanted, "_source": list(ACCESS_FIELDS), "track_total_hits": False, **rest}


def asks(question: Question, settings: OpenSearchSettings) -> list[Query]:
    """The alternatives of a question: words by stem, codes whole, pairs of characters."""
    alternatives: list[Query] = []
    single = [run for run in question.runs if len(run) == 1]  # the standard tokenizer indexed each by itself
    if words := " ".join((*question.pieces, *single)):
        alternatives.append(_match(words, "", settings))
    if runs := " ".join(run for run in question.runs if len(run) > 1):
        alternatives.append(_match(runs, ".cjk", settings))
    if codes := [piece for piece in question.pieces if any(map(str.isdigit, piece))]:
        alternatives.append(_match(" ".join(codes), ".codes", settings))
        alternatives += [{"term": {"codes": {"value": code, "boost": settings.code_weight}}} for code in codes]
    return alternatives


def carries(codes: Iterable[str]) -> list[Query]:
    """The alternatives of a lookup of codes: each distinct one counts 1."""
    distinct = dict.fromkeys(code.lower() for code in codes if _is_text(code))
    return [{"constant_score": {"filter": {"term": {"codes": code}}, "boost": 1.0}} for code in distinct]


def admitted(alternatives: Sequence[Query], caller: frozenset[Principal], filters: Filters) -> Query:
    """Those of the alternatives' hits that the caller may see and that pass the filters."""
    return {
        "bool": {
            "should": list(alternatives),
            "minimum_should_match": 1,
            "filter": [_any("allow", caller), *(_facets(key, values) for key, values in filters.items())],
            "must_not": [_any("deny", caller)],
        }
    }


def _match(words: str, subfield: str, settings: OpenSearchSettings) -> Query:
    fields = [f"text{subfield}", f"heading{subfield}^{settings.heading_weight}"]
    return {"multi_match": {"query": words, "type": "most_fields", "fields": fields}}


def _facets(key: str, values: frozenset[str]) -> Query:
    return _any("facets", (f"{key}={value}" for value in values))


def _any(field: str, words: Iterable[str]) -> Query:
    terms: Mapping[str, list[str]] = {field: sorted(filter(_is_text, words))}
    return {"terms": terms}


def _is_text(word: str) -> bool:
    """Whether a word can be encoded: half a surrogate pair is in no record, and the server would refuse to ask."""
    return word.isascii() or not any("\ud800" <= character <= "\udfff" for character in word)
