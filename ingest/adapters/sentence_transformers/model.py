"""The sentence-transformers embedding model."""

import importlib.util
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ingest.adapters.sentence_transformers.settings import SentenceTransformersModelSettings
from ingest.adapters.tokenizer.counter import FileTokenCounter
from ingest.adapters.weights import hub
from ingest.adapters.weights.digest import folder_digest
from ingest.adapters.weights.file import ModelFile
from ingest.adapters.weights.fingerprint import fingerprint
from ingest.adapters.weights.origin import InDirectory, OnHub, Origin
from ingest.errors import InputRejected, ModelMissing, SettingsInvalid
from ingest.ports import FloatMatrix, FloatVector

_SHAPING_FILES = (
    *("*.safetensors", "pytorch_model*.bin", "*/*.safetensors", "*/pytorch_model*.bin"),
    *("modules.json", "config.json", "sentence_bert_config.json", "*/config.json"),
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.*", "*.model"),
)
"""What shapes a vector; a model card or training statistics do not."""


class SentenceTransformersEmbeddingModel:
    """An `EmbeddingModel` on torch, which is imported by the first call or by `load` (half a minute when cold)."""

    def __init__(self, settings: SentenceTransformersModelSettings) -> None:
        """Raises ModelMissing when the folder, its tokenizer or the extra is not there,
        or the weights are not the pinned ones."""
        if importlib.util.find_spec("sentence_transformers") is None:
            raise ModelMissing(
                f"the model {settings.name} needs sentence-transformers, which is not installed: "
                f"pip install 'lockstep[sentence-transformers]'"
            )
        self._settings = settings
        self._folder = _folder(settings.origin)
        if settings.sha256:
            ModelFile(InDirectory(self._folder), "model.safetensors", settings.sha256).locate()
        self._model: Any = None
        self._opening = Lock()

    @property
    def name(self) -> str:
        return self._settings.name

    @property
    def dimension(self) -> int:
        return self._settings.dimension

    @property
    def passage_prompt(self) -> str:
        return self._settings.passage_prompt

    @cached_property
    def fingerprint(self) -> str:
        """See `EmbeddingModel.fingerprint`. Hashes the folder's files on the first use of a process."""
        return fingerprint(
            engine="sentence-transformers",
            weights=folder_digest(self._folder, _SHAPING_FILES),
            pooling="as modules.json",
            normalisation="l2",
            passage_prompt=self._settings.passage_prompt,
            query_prompt=self._settings.query_prompt,
            max_tokens=self._settings.max_tokens,
            numeric_format=self._settings.numeric_format,
        )

    @cached_property
    def tokens(self) -> FileTokenCounter:
        return FileTokenCounter(self._folder / "tokenizer.json", self._settings.max_tokens)

    def load(self) -> None:
        """Import torch and open the model now. Raises ModelMissing or SettingsInvalid."""
        self._opened()

    def embed_passages(self, inputs: Sequence[str]) -> FloatMatrix:
        """See `EmbeddingModel.embed_passages`."""
        if not inputs:
            return np.empty((0, self.dimension), dtype=np.float32)
        self.tokens.checked_ids(inputs)
        # An empty prompt keeps the library from adding one of the model folder's own.
        vectors = self._opened().encode(
            list(inputs),
            prompt="",
            batch_size=self._settings.batch_inputs,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        return _checked(np.asarray(vectors, dtype=np.float32))

    def embed_query(self, question: str) -> FloatVector:
        """See `EmbeddingModel.embed_query`."""
        vector: FloatVector = self.embed_passages([self._settings.query_prompt + question])[0]
        return vector

    def _opened(self) -> Any:
        with self._opening:
            if self._model is None:
                self._model = _open_model(self._folder, self._settings)
            return self._model


def _folder(origin: Origin) -> Path:
    folder = hub.fetch_folder(origin, _SHAPING_FILES) if isinstance(origin, OnHub) else origin.folder_on_disk()
    for needed in ("modules.json", "tokenizer.json"):
        if not (folder / needed).is_file():
            raise ModelMissing(f"{folder} is no sentence-transformers model: it has no {needed}; correct the settings")
    return folder


def _open_model(folder: Path, settings: SentenceTransformersModelSettings) -> Any:
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 (gigabytes of torch)

    try:
        model = SentenceTransformer(
            str(folder),
            device=settings.device,
            local_files_only=True,
            model_kwargs={"dtype": settings.numeric_format},
        )
    except Exception as error:  # torch, safetensors and transformers each have their own
        raise ModelMissing(
            f"{folder} cannot be opened as a model ({type(error).__name__}): install it again"
        ) from error
    model.max_seq_length = settings.max_tokens
    dimension = model.get_embedding_dimension()
    if dimension != settings.dimension:
        raise SettingsInvalid(
            f"the model {settings.name} gives vectors of {dimension} numbers, the settings say "
            f"{settings.dimension}: correct `dimension`"
        )
    return model


def _checked(vectors: FloatMatrix) -> FloatMatrix:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unusable = np.flatnonzero(~np.isfinite(lengths[:, 0]) | (lengths[:, 0] == 0))
    if unusable.size:
        raise InputRejected(int(unusable[0]), "the model gives no usable vector for it")
    unit: FloatMatrix = vectors / lengths  # once more: half precision leaves lengths of 0.999
    return unit
