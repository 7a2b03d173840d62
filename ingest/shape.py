"""What shapes a generation's indexes beside the documents: when it no longer fits, they would have to be built anew."""

from typing import Any

from ingest.catalog.generations import Generation
from ingest.chunking.chunker import Chunker
from ingest.ports import EmbeddingModel
from ingest.settings import Settings


def shape_of(settings: Settings, model: EmbeddingModel) -> dict[str, Any]:
    """The shape of a generation that is made now, as its row keeps it."""
    return {
        "chunker": Chunker(model.tokens, model.passage_prompt).identity,
        "codes": settings.indexing.codes,
        "filterable": list(settings.indexing.filterable),
        "model": model.name,
    }


def differing(known: Generation, settings: Settings, model: EmbeddingModel) -> list[str]:
    """What no longer fits a stored generation: `model`, `chunker`, `codes`, `filterable`."""
    now = shape_of(settings, model)
    others = [key for key in ("chunker", "codes", "filterable") if known.settings.get(key) != now[key]]
    return others if known.fingerprint == model.fingerprint else ["model", *others]


def told(known: Generation, names: list[str]) -> str:
    """What is said of it, with the way out."""
    return (
        f"{', '.join(names)} changed since generation {known.id} was made (by model {known.settings.get('model')}): "
        f"set it back, or index into a fresh installation (another `data` folder or catalog)"
    )
