"""The settings file: what is wrong with it is said in one line that names the key and the way out."""

from pathlib import Path

import pytest

from ingest.errors import SettingsInvalid
from ingest.settings_file import find, load


def written(folder: Path, text: str) -> Path:
    file = folder / "lockstep.yaml"
    file.write_text(text)
    return file


def refusal(file: Path) -> str:
    with pytest.raises(SettingsInvalid) as refused:
        load(file)
    assert str(file) in str(refused.value)
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("serch: {candidates: 10}", "unknown key serch: did you mean search?"),
        ("model: {thread: 4}", "unknown key model.thread: did you mean threads?"),
        ("sources: {docs: {path: docs, exlude: []}}", "unknown key sources.docs.exlude: did you mean exclude?"),
        ("lexical: {kind: opensearch, host: [x]}", "did you mean hosts?"),
    ],
)
def test_an_unknown_key_is_refused_with_a_suggestion(tmp_path: Path, text: str, says: str) -> None:
    assert says in refusal(written(tmp_path, text))


@pytest.mark.parametrize("text", ["a: [", "- one\n- two", "user: \t- x", "\x00"])
def test_what_is_no_mapping_in_yaml_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    refusal(written(tmp_path, text))


def test_a_value_of_the_wrong_kind_is_named_with_its_key(tmp_path: Path) -> None:
    assert "indexing.batch" in refusal(written(tmp_path, "indexing: {batch: many}"))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    refusal(tmp_path / "missing.yaml")


def test_an_empty_file_gives_the_defaults(tmp_path: Path) -> None:
    settings = load(written(tmp_path, ""))
    assert settings.embedded
    assert settings.data == tmp_path / ".lockstep"


def test_the_environment_overrides_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCKSTEP_MODEL__THREADS", "7")
    monkeypatch.setenv("LOCKSTEP_USER", "user:bob")
    settings = load(written(tmp_path, "user: user:ann\nmodel: {threads: 3, name: all-MiniLM-L6-v2-int8}"))
    assert (settings.model.threads, settings.user) == (7, "user:bob")
    assert settings.model.name == "all-MiniLM-L6-v2-int8"


def test_where_the_settings_are_and_how_much_is_logged_is_no_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCKSTEP_SETTINGS", "/elsewhere/lockstep.yaml")
    monkeypatch.setenv("LOCKSTEP_LOG", "INFO")
    load(written(tmp_path, ""))


def test_relative_paths_are_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    settings = load(written(tmp_path, "sources: {docs: {path: docs}}\ndirectories: {local: groups.yaml}"))
    assert settings.sources["docs"].path == tmp_path / "docs"
    assert settings.directories["local"] == tmp_path / "groups.yaml"


def test_the_file_is_found_from_the_current_folder_upwards(tmp_path: Path) -> None:
    file = written(tmp_path, "")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert find(below) == file


def test_without_a_file_the_way_out_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsInvalid, match="lockstep init DOCS"):
        find(tmp_path)
