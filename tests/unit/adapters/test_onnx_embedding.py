"""What the ONNX adapter does with graphs, files and fingerprints."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ingest.adapters.onnx.graph import OnnxGraph
from ingest.adapters.onnx.model import OnnxEmbeddingModel
from ingest.adapters.onnx.pooling import pooled
from ingest.adapters.onnx.presets import MINILM_INT8, PRESET_NAMES, preset
from ingest.adapters.onnx.settings import OnnxModelSettings
from ingest.adapters.weights.file import ModelFile
from ingest.adapters.weights.origin import InDirectory
from ingest.errors import InputRejected, ModelMissing, SettingsInvalid
from tests.unit.adapters.tiny_onnx import write_table_model

TABLE = np.random.default_rng(7).normal(size=(30_522, 4)).astype(np.float32)


def tiny(path: Path, **changed: object) -> OnnxModelSettings:
    weights = ModelFile(InDirectory(path.parent), path.name)
    return replace(replace(MINILM_INT8, weights=weights, dimension=4), **changed)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "inputs",
    [("input_ids",), ("input_ids", "attention_mask"), ("input_ids", "attention_mask", "token_type_ids")],
)
def test_a_graph_gets_the_inputs_that_it_names(tmp_path: Path, inputs: tuple[str, ...]) -> None:
    settings = tiny(write_table_model(tmp_path / "tiny.onnx", TABLE, inputs))
    vector = OnnxEmbeddingModel(settings).embed_passages(["word"])[0]
    ids = [101, 2773, 102]
    mean = TABLE[ids].mean(axis=0)
    assert np.allclose(vector, mean / np.linalg.norm(mean), atol=1e-6)


def test_padding_has_no_part_in_the_mean() -> None:
    hidden = np.array([[[3, 4], [9, 9]], [[1, 0], [1, 0]]], dtype=np.float32)
    mask = np.array([[1, 0], [1, 1]], dtype=np.int64)
    assert np.allclose(pooled(hidden, mask, "mean"), np.array([[0.6, 0.8], [1, 0]]))
    assert np.allclose(pooled(hidden, mask, "cls"), np.array([[0.6, 0.8], [1, 0]]))


def test_an_input_without_a_direction_is_refused_by_its_row(tmp_path: Path) -> None:
    table = TABLE.copy()
    table[[101, 102]] = 0
    table[2773] = 0  # "word"
    model = OnnxEmbeddingModel(tiny(write_table_model(tmp_path / "tiny.onnx", table)))
    with pytest.raises(InputRejected) as refused:
        model.embed_passages(["refund", "word", "refund"])
    assert refused.value.row == 1


def test_a_graph_of_another_dimension_is_refused_with_the_setting_to_correct(tmp_path: Path) -> None:
    model = OnnxEmbeddingModel(tiny(write_table_model(tmp_path / "tiny.onnx", TABLE), dimension=384))
    with pytest.raises(SettingsInvalid, match="vectors of 4 numbers, the settings say 384"):
        model.load()


def test_a_graph_without_the_named_output_is_refused(tmp_path: Path) -> None:
    path = write_table_model(tmp_path / "tiny.onnx", TABLE)
    with pytest.raises(ModelMissing, match="no output 'pooled'"):
        OnnxGraph(path, tiny(path, output="pooled"))


def test_a_graph_with_inputs_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = write_table_model(tmp_path / "tiny.onnx", TABLE, ("input_ids", "pixel_values"))
    with pytest.raises(ModelMissing, match="pixel_values"):
        OnnxGraph(path, tiny(path))


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "tiny.onnx").write_bytes(b"no graph at all")
    model = OnnxEmbeddingModel(tiny(tmp_path / "tiny.onnx"))
    with pytest.raises(ModelMissing, match=r"tiny\.onnx cannot be opened as an ONNX model"):
        model.embed_passages(["word"])


def test_the_same_weights_under_another_name_have_the_same_fingerprint(tmp_path: Path) -> None:
    packaged = OnnxEmbeddingModel(MINILM_INT8)
    shutil.copy(MINILM_INT8.weights.locate(), tmp_path / "mine.onnx")
    copied = replace(MINILM_INT8, name="mine", weights=ModelFile(InDirectory(tmp_path), "mine.onnx"))
    assert OnnxEmbeddingModel(copied).fingerprint == packaged.fingerprint


def test_other_weights_under_the_same_name_have_another_fingerprint(tmp_path: Path) -> None:
    path = tmp_path / "tiny.onnx"
    before = OnnxEmbeddingModel(tiny(write_table_model(path, TABLE))).fingerprint
    (tmp_path / "later").mkdir()
    later = write_table_model(tmp_path / "later" / "tiny.onnx", TABLE + 1)
    assert OnnxEmbeddingModel(tiny(later)).fingerprint != before


@pytest.mark.parametrize(
    "changed",
    [
        {"passage_prompt": "passage: "},
        {"query_prompt": "query: "},
        {"max_tokens": 128},
        {"pooling": "cls"},
        {"numeric_format": "float16"},
        {"output": "token_embeddings"},
    ],
)
def test_what_shapes_a_vector_is_in_the_fingerprint(changed: dict[str, object]) -> None:
    other = replace(MINILM_INT8, **changed)  # type: ignore[arg-type]
    assert OnnxEmbeddingModel(other).fingerprint != OnnxEmbeddingModel(MINILM_INT8).fingerprint


def test_what_shapes_no_vector_is_not_in_the_fingerprint() -> None:
    other = replace(MINILM_INT8, name="other", threads=1, batch_tokens=256)
    assert OnnxEmbeddingModel(other).fingerprint == OnnxEmbeddingModel(MINILM_INT8).fingerprint


def test_presets_know_prompts_limits_and_where_the_files_are(tmp_path: Path) -> None:
    minilm = preset("all-MiniLM-L6-v2-int8")
    assert (minilm.passage_prompt, minilm.query_prompt, minilm.max_tokens, minilm.dimension) == ("", "", 256, 384)
    e5 = preset("e5-small-v2-int8", InDirectory(tmp_path))
    assert (e5.passage_prompt, e5.query_prompt, e5.max_tokens, e5.dimension) == ("passage: ", "query: ", 512, 384)
    with pytest.raises(SettingsInvalid, match="name the directory"):
        preset("e5-small-v2-int8")
    with pytest.raises(SettingsInvalid, match=", ".join(PRESET_NAMES)):
        preset("unheard-of")
