"""The sentence-transformers model that the settings describe."""

from dataclasses import replace

from ingest.adapters.onnx.configured import origin_of
from ingest.adapters.sentence_transformers.model import SentenceTransformersEmbeddingModel
from ingest.adapters.sentence_transformers.settings import (
    MINILM,
    PRESET_NAMES,
    SentenceTransformersModelSettings,
    preset,
)
from ingest.errors import SettingsInvalid
from ingest.settings import ModelSettings


def open_sentence_transformers(settings: ModelSettings) -> SentenceTransformersEmbeddingModel:
    """A known model by name, or a model folder. Raises SettingsInvalid, ModelMissing."""
    name = settings.name or MINILM.name
    origin = origin_of(settings)
    if name in PRESET_NAMES:
        return SentenceTransformersEmbeddingModel(replace(preset(name, origin), **settings.stated()))
    if origin is None:
        raise SettingsInvalid(f"model.name: {name!r} is not known; name model.directory or model.hub with its files")
    return SentenceTransformersEmbeddingModel(
        SentenceTransformersModelSettings(
            name=name,
            origin=origin,
            **settings.shape(),
        )
    )
