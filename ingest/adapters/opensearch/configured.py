"""The OpenSearch index that the settings describe."""

from ingest.adapters.opensearch.index import OpenSearchIndex
from ingest.adapters.opensearch.settings import OpenSearchSettings
from ingest.settings import OpenSearchLexical


def open_opensearch(knobs: OpenSearchLexical, name: str) -> OpenSearchIndex:
    """The physical index of a generation; nothing is sent yet."""
    settings = OpenSearchSettings(
        shards=knobs.shards, replicas=knobs.replicas, refresh_interval_ms=round(knobs.refresh_interval_s * 1000)
    )
    return OpenSearchIndex(knobs.hosts, name, settings=settings)
