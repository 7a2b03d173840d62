"""An open ONNX graph: token ids in, pooled vectors out."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime as ort

from ingest.adapters.onnx.pooling import pooled
from ingest.adapters.onnx.settings import OnnxModelSettings
from ingest.errors import ModelMissing, SettingsInvalid
from ingest.ports import FloatMatrix

_KNOWN_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})


class OnnxGraph:
    """A session of ONNX Runtime. Several threads may run it at once; a call holds nothing after it returns."""

    def __init__(self, path: Path, settings: OnnxModelSettings) -> None:
        """Raises ModelMissing when the file is no such graph, SettingsInvalid when dimensions disagree."""
        self._settings = settings
        self._session = _open_session(path, settings.threads)
        self._inputs = {node.name for node in self._session.get_inputs()}
        if not {"input_ids"} <= self._inputs <= _KNOWN_INPUTS:
            raise ModelMissing(
                f"the graph {path} takes {sorted(self._inputs)}, not token ids with a mask: name another"
            )
        shapes = {node.name: node.shape for node in self._session.get_outputs()}
        if settings.output not in shapes:
            raise ModelMissing(f"the graph {path} has no output {settings.output!r}, only {sorted(shapes)}")
        dimension = shapes[settings.output][-1]
        if isinstance(dimension, int) and dimension != settings.dimension:
            raise SettingsInvalid(
                f"the model {settings.name} gives vectors of {dimension} numbers, the settings say "
                f"{settings.dimension}: correct `dimension`"
            )

    def embed(self, batch: Sequence[Sequence[int]]) -> FloatMatrix:
        """Token ids of each input → float32 (len(batch), dimension), rows of length 1."""
        ids = np.zeros((len(batch), max(len(row) for row in batch)), dtype=np.int64)
        mask = np.zeros_like(ids)
        for at, row in enumerate(batch):
            ids[at, : len(row)] = row
            mask[at, : len(row)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        named = {name: array for name, array in given.items() if name in self._inputs}
        hidden = self._session.run([self._settings.output], named)[0]
        return pooled(hidden, mask, self._settings.pooling)


def _open_session(path: Path, threads: int) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # every batch has another shape
    options.log_severity_level = 4  # what goes wrong is raised; nothing but that goes to stderr
    # Idle threads sleep: spinning ones would take the cores from staging, which runs beside embedding.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library's errors share no base class
        raise ModelMissing(
            f"{path} cannot be opened as an ONNX model ({type(error).__name__}): install it again"
        ) from error
