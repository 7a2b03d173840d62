"""The remote model that the settings describe."""

from ingest.adapters.openai_compatible.model import OpenAICompatibleEmbeddingModel
from ingest.adapters.openai_compatible.settings import OpenAICompatibleModelSettings
from ingest.adapters.weights.file import ModelFile
from ingest.adapters.weights.origin import InDirectory
from ingest.errors import SettingsInvalid
from ingest.settings import ModelSettings


def open_openai_compatible(settings: ModelSettings) -> OpenAICompatibleEmbeddingModel:
    """A server that speaks `/v1/embeddings`. Raises SettingsInvalid, ModelMissing."""
    if not settings.base_url or not settings.name:
        raise SettingsInvalid("model: an openai-compatible model needs base_url and name")
    if settings.tokenizer is None:
        raise SettingsInvalid("model.tokenizer: a remote model must name its tokenizer.json, by which chunks are sized")
    return OpenAICompatibleEmbeddingModel(
        OpenAICompatibleModelSettings(
            base_url=settings.base_url,
            model=settings.name,
            tokenizer=ModelFile(InDirectory(settings.tokenizer.parent), settings.tokenizer.name),
            **settings.shape(),
            key=settings.key.get_secret_value() if settings.key else "",
        )
    )
