"""The ONNX model that the settings describe."""

from dataclasses import replace

from ingest.adapters.onnx.model import OnnxEmbeddingModel
from ingest.adapters.onnx.presets import MINILM_INT8, PRESET_NAMES, preset
from ingest.adapters.onnx.settings import OnnxModelSettings
from ingest.adapters.weights.file import ModelFile
from ingest.adapters.weights.origin import InDirectory, OnHub, Origin
from ingest.errors import SettingsInvalid
from ingest.settings import ModelSettings


def open_onnx(settings: ModelSettings) -> OnnxEmbeddingModel:
    """A known model by name, or the files of a directory or hub repository. Raises SettingsInvalid, ModelMissing."""
    name = settings.name or MINILM_INT8.name
    origin = origin_of(settings)
    if name in PRESET_NAMES:
        return OnnxEmbeddingModel(replace(preset(name, origin), threads=settings.threads, **settings.stated()))
    if origin is None:
        raise SettingsInvalid(f"model.name: {name!r} is not known; name model.directory or model.hub with its files")
    tokenizer = InDirectory(settings.tokenizer.parent) if settings.tokenizer else origin
    return OnnxEmbeddingModel(
        OnnxModelSettings(
            name=name,
            weights=ModelFile(origin, "model.onnx"),
            tokenizer=ModelFile(tokenizer, settings.tokenizer.name if settings.tokenizer else "tokenizer.json"),
            **settings.shape(),
            threads=settings.threads,
        )
    )


def origin_of(settings: ModelSettings) -> Origin | None:
    """Where the settings say a model's files lie; None when a package brings them."""
    if settings.directory is not None and settings.hub:
        raise SettingsInvalid("model: name a directory or a hub repository, not both")
    if settings.directory is not None:
        return InDirectory(settings.directory)
    return OnHub(settings.hub) if settings.hub else None
