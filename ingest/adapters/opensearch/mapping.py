"""What an index is made of: analysis, fields, and the mark by which we know it again."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from ingest.adapters.opensearch.settings import OpenSearchSettings

ANALYSIS: Final[Mapping[str, Any]] = {
    "tokenizer": {
        # Codes stay whole, without the punctuation around them. The repetition has a bound because Java's regular
        # expressions recurse on each round: a text of `a.a.a.…` without end would overflow the node's stack.
        "whole_codes": {
            "type": "pattern",
            "group": 0,
            "pattern": r"[\p{L}\p{N}]+(?:[-_./][\p{L}\p{N}]+){0,15}",
        },
    },
    "filter": {
        "possessive": {"type": "stemmer", "language": "possessive_english"},
        "stop": {"type": "stop", "stopwords": "_english_"},
        "porter": {"type": "stemmer", "language": "english"},
        "no_giants": {"type": "length", "max": 255},  # Lucene refuses a record for a term beyond 32,766 bytes
        "pairs_only": {"type": "keep_types", "types": ["<DOUBLE>", "<SINGLE>"]},
    },
    "analyzer": {
        "words": {
            "type": "custom",
            "tokenizer": "standard",
            "filter": ["possessive", "lowercase", "asciifolding", "stop", "porter"],
        },
        "codes": {"type": "custom", "tokenizer": "whole_codes", "filter": ["lowercase", "asciifolding", "no_giants"]},
        "pairs": {
            "type": "custom",
            "tokenizer": "standard",
            "filter": ["cjk_width", "cjk_bigram", "pairs_only"],
        },
    },
    "normalizer": {"caseless": {"type": "custom", "filter": ["lowercase"]}},
}

_TEXT: Final[Mapping[str, Any]] = {
    "type": "text",
    "analyzer": "words",
    "fields": {
        "codes": {"type": "text", "analyzer": "codes"},
        "cjk": {"type": "text", "analyzer": "pairs"},
    },
}
FIELDS: Final[Mapping[str, Any]] = {
    "record": {"type": "keyword"},  # the id once more: `_id` cannot be sorted by
    "document": {"type": "long"},
    "text": _TEXT,
    "heading": _TEXT,
    "codes": {"type": "keyword", "normalizer": "caseless"},
    "facets": {"type": "keyword", "ignore_above": 8191},  # characters of at most 4 bytes: see no_giants
    "allow": {"type": "keyword"},
    "deny": {"type": "keyword"},
}


def _shape() -> str:
    described = json.dumps([ANALYSIS, FIELDS], sort_keys=True)
    return hashlib.sha256(described.encode()).hexdigest()[:16]


MARK: Final[Mapping[str, str]] = {"made_by": "lockstep", "shape": _shape()}


def write_alias(name: str) -> str:
    """The private alias through which an index is written: a late write to a dropped index finds none."""
    return f"{name}-write"


def body(name: str, settings: OpenSearchSettings) -> dict[str, Any]:
    """The request that creates an index together with its write alias."""
    index = {
        "number_of_shards": settings.shards,
        "number_of_replicas": settings.replicas,
        # Set, so that an idle shard goes on refreshing and `refresh=wait_for` comes back.
        "refresh_interval": f"{settings.refresh_interval_ms}ms",
        "translog": {"durability": "request"},
        # So that a merge for deletes also takes segments with few of them (the default leaves up to 10 %).
        "merge": {"policy": {"expunge_deletes_allowed": 0}},
    }
    return {
        "settings": {"index": index, "analysis": ANALYSIS},
        "mappings": {"dynamic": "strict", "_meta": MARK, "properties": FIELDS},
        "aliases": {write_alias(name): {"is_write_index": True, "is_hidden": True}},
    }


def is_ours(found: Mapping[str, Any]) -> bool:
    """Whether an index (as GET of its name describes it) was made by Lockstep, in whatever version."""
    return bool(found.get("mappings", {}).get("_meta", {}).get("made_by") == MARK["made_by"])


def differences(name: str, found: Mapping[str, Any]) -> list[str]:
    """In what an existing index differs from what `body` makes; settings that may be tuned are left out."""
    mappings = found.get("mappings", {})
    durability = found.get("settings", {}).get("index", {}).get("translog", {}).get("durability", "request")
    checks = {
        "it has no mark of Lockstep": is_ours(found),
        "it was made by another version": not is_ours(found) or mappings.get("_meta") == MARK,
        "its mapping is not strict": mappings.get("dynamic") == "strict",
        "it has other fields": mappings.get("properties", {}).keys() == FIELDS.keys(),
        "its write alias is missing": write_alias(name) in found.get("aliases", {}),
        "its translog durability is not 'request'": durability == "request",
    }
    return [difference for difference, holds in checks.items() if not holds]
