"""The embedded vector index that the settings describe."""

from pathlib import Path

from ingest.adapters.qdrant_edge.index import QdrantEdgeIndex
from ingest.adapters.qdrant_edge.settings import QdrantEdgeSettings
from ingest.settings import EdgeVector


def open_edge(knobs: EdgeVector, directory: Path, dimension: int) -> QdrantEdgeIndex:
    """The physical index of a generation; nothing is opened yet."""
    settings = QdrantEdgeSettings(optimise_after_points=knobs.optimise_after)
    return QdrantEdgeIndex(directory, dimension=dimension, settings=settings)
