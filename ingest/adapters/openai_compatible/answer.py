"""The answer of an embeddings request: one usable vector per input, or what is wrong with it."""

from typing import Any

import numpy as np

from ingest.ports import FloatMatrix


class AnswerUnusable(Exception):
    """The server answered, but not with a vector for each input. `row` when one input is to blame."""

    def __init__(self, reason: str, row: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.row = row


def read_answer(body: Any, inputs: int, dimension: int) -> FloatMatrix:
    """Vectors in the order of the inputs, whatever order the server sent them in, each brought to length 1.

    Returns float32 (inputs, dimension). Raises AnswerUnusable.
    """
    items = body.get("data") if isinstance(body, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise AnswerUnusable("the answer is not in the form of /v1/embeddings")
    if len(items) != inputs:
        raise AnswerUnusable(f"{len(items)} vectors came for {inputs} inputs")
    if not all(isinstance(item.get("index", 0), int) for item in items):
        raise AnswerUnusable("the answer's `index` fields are not numbers")
    by_index = {item.get("index", position): item.get("embedding") for position, item in enumerate(items)}
    if by_index.keys() != set(range(inputs)):
        raise AnswerUnusable("the answer's `index` fields do not number the inputs")
    vectors = np.empty((inputs, dimension), dtype=np.float32)
    for row in range(inputs):
        vectors[row] = _unit(row, by_index[row], dimension)
    return vectors


def _unit(row: int, embedding: Any, dimension: int) -> FloatMatrix:
    try:
        vector = np.asarray(embedding, dtype=np.float64)
    except (TypeError, ValueError):
        raise AnswerUnusable("the vector is not a list of numbers", row) from None
    if vector.shape != (dimension,):
        came = vector.shape[0] if vector.ndim == 1 else "no"
        raise AnswerUnusable(f"the vector has {came} numbers, {dimension} were expected: check `dimension`", row)
    length = np.linalg.norm(vector)
    if not np.isfinite(length) or length == 0:
        raise AnswerUnusable("the vector is zero or not finite", row)
    unit: FloatMatrix = (vector / length).astype(np.float32)
    return unit
