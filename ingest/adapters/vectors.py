"""Vectors as all vector indexes take them: of the right shape, finite, and of length 1."""

import numpy as np

from ingest.ports import FloatMatrix, FloatVector


def unit_rows(vectors: FloatMatrix, *, rows: int, dimension: int) -> FloatMatrix:
    """The vectors as float32 of shape (rows, dimension), each of length 1.

    Raises ValueError, naming the first row at fault, for another shape, a number that is not finite, or zeros only.
    Engines must not be left to notice: some store such vectors and then rank them anyhow.
    """
    exact = np.asarray(vectors, dtype=np.float64)
    if rows == 0 and exact.size == 0:
        return np.empty((0, dimension), dtype=np.float32)
    if exact.shape != (rows, dimension):
        raise ValueError(f"vectors of shape {exact.shape} for {rows} records of dimension {dimension}")
    finite = np.isfinite(exact).all(axis=1)
    if not finite.all():
        raise ValueError(f"vector {int(np.argmin(finite))} has a number that is not finite")
    largest = np.abs(exact).max(axis=1, keepdims=True)
    if not largest.all():
        raise ValueError(f"vector {int(np.argmin(largest))} is zero")
    scaled = exact / largest  # so that squares of huge or tiny numbers stay in range
    unit: FloatMatrix = (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(np.float32)
    return unit


def unit_vector(vector: FloatVector, *, dimension: int) -> FloatVector:
    """One vector, as `unit_rows`."""
    row: FloatVector = unit_rows(np.asarray(vector)[np.newaxis], rows=1, dimension=dimension)[0]
    return row
