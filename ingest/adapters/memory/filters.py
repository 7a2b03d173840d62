"""Metadata filters over records in memory."""

from collections.abc import Collection

from ingest.model.record import Filters


def passes(metadata: Collection[str], filters: Filters) -> bool:
    """Whether a record with these `key=value` words has one of the values for every key."""
    return all(any(f"{key}={value}" in metadata for value in values) for key, values in filters.items())
