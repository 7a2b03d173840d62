"""Vectors that lie in clusters, as embeddings do; approximate search fails on Gaussian noise and says nothing."""

import numpy as np

from ingest.ports import FloatMatrix


def clustered(count: int, dimension: int, *, clusters: int = 50, spread: float = 0.4, seed: int = 1) -> FloatMatrix:
    """Vectors of shape (count, dimension) and length 1 around random centres."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(clusters, dimension))
    points = centres[random.integers(0, clusters, count)] + spread * random.normal(size=(count, dimension))
    unit: FloatMatrix = (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)
    return unit
