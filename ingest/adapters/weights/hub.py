"""The hub client, imported only when a model is named by its hub name."""

from collections.abc import Callable, Sequence
from pathlib import Path

from ingest.adapters.weights.origin import OnHub
from ingest.errors import ModelMissing


def fetch_file(origin: OnHub, path: str) -> Path:
    """One file of a hub repository, from the cache or downloaded. Raises ModelMissing."""
    return _fetch(
        origin,
        lambda hub: hub.hf_hub_download(origin.repository, path, revision=origin.revision, cache_dir=origin.cache),
    )


def fetch_folder(origin: OnHub, patterns: Sequence[str]) -> Path:
    """The files of a hub repository that match the patterns, as a folder. Raises ModelMissing."""
    return _fetch(
        origin,
        lambda hub: hub.snapshot_download(
            origin.repository, revision=origin.revision, cache_dir=origin.cache, allow_patterns=list(patterns)
        ),
    )


def _fetch(origin: OnHub, ask: Callable[..., str]) -> Path:
    try:
        import huggingface_hub as hub  # noqa: PLC0415 (brings a network client that other origins do not need)
    except ImportError:
        raise ModelMissing(
            f"the model {origin.repository} is named by its hub name, which needs: pip install huggingface-hub"
        ) from None
    try:
        return Path(ask(hub))
    except (OSError, ValueError, hub.errors.HfHubHTTPError) as error:
        # OSError covers a missing connection and offline mode, ValueError a malformed name.
        raise ModelMissing(
            f"the model {origin.repository} at revision {origin.revision} is neither in the hub's cache nor "
            f"can it be fetched ({type(error).__name__}): connect once, or name a directory or package instead"
        ) from error
