"""A canary: one text whose vector is kept with a generation, so that a model that changes under its name is noticed."""

import base64

import numpy as np

from ingest.catalog import marks
from ingest.catalog.database import Database
from ingest.ports import EmbeddingModel, FloatVector

TEXT = "Lockstep keeps two indexes in step."
LEAST_ALIKE = 0.999
"""Cosine; numeric noise between machines is far smaller than what another model answers."""


def vector_of(model: EmbeddingModel) -> FloatVector:
    """The model's answer to the canary as a passage. Raises as the model."""
    return np.asarray(model.embed_passages([model.passage_prompt + TEXT])[0], dtype=np.float32)


def likeness(database: Database, generation_id: int, vector: FloatVector) -> float | None:
    """Cosine of the canary's vector now and the one kept; None when it is kept only now."""
    name = f"canary of generation {generation_id}"
    with database.read() as tx:
        kept = marks.get(tx, name)
    if kept is None:
        with database.write() as tx:
            marks.put(tx, name, base64.b64encode(vector.tobytes()).decode())
        return None
    before = np.frombuffer(base64.b64decode(kept), dtype=np.float32)
    if before.shape != vector.shape:
        return 0.0
    return float(before @ vector / (np.linalg.norm(before) * np.linalg.norm(vector) or 1.0))
