"""Knobs of the OpenSearch adapter."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OpenSearchSettings:
    """What an index is made with, how it is written and how it is asked. Weights multiply a field's BM25 score."""

    shards: int = 1
    replicas: int = 1
    refresh_interval_ms: int = 200
    """How often the server makes new records findable; all workers that wait for it wait together."""
    heading_weight: float = 2.0
    code_weight: float = 2.0
    batch_bytes: int = 8 * 1024 * 1024
    """The largest bulk request; a single record larger than this travels alone."""
    attempts: int = 6
    """How often an item that the server has no time for is sent."""
    backoff_s: float = 0.2
    """The wait before the second attempt; each further one is twice as long, up to `longest_backoff_s`."""
    longest_backoff_s: float = 5.0
    timeout_s: float = 30.0
    compact_timeout_s: float = 120.0
    """How long `compact` waits for the server to merge segments."""
    ca_certs: str | None = None
    """A file of certificate authorities, for https."""
