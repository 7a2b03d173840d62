"""From token vectors to one vector of length 1 per input."""

import numpy as np
from numpy.typing import NDArray

from ingest.adapters.onnx.settings import Pooling
from ingest.ports import FloatMatrix


def pooled(hidden: NDArray[np.float32], mask: NDArray[np.int64], pooling: Pooling) -> FloatMatrix:
    """Token vectors (batch, sequence, dimension) and their mask (batch, sequence) → (batch, dimension).

    Rows have length 1; a row without a direction stays zero or not finite, for the caller to find.
    """
    if pooling == "cls":
        rows = hidden[:, 0, :]
    else:
        weights = mask.astype(np.float32)
        rows = np.matmul(weights[:, None, :], hidden)[:, 0, :] / weights.sum(axis=1, keepdims=True)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: FloatMatrix = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths != 0)
    return unit
