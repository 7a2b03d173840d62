"""Documents may be named by the path of their file."""

from pathlib import Path

import pytest

from ingest.settings import DirectorySource, Settings
from worker.cli.naming import key_of, with_keys


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "docs" / "staff").mkdir(parents=True)
    (tmp_path / "docs" / "staff" / "rota.md").write_text("# Rota")
    return Settings(sources={"handbook": DirectorySource(path=tmp_path / "docs")})


@pytest.mark.parametrize(
    "case",
    [
        (".", "docs/staff/rota.md", "handbook:staff/rota.md"),
        (".", "./docs/staff/rota.md", "handbook:staff/rota.md"),
        (".", "docs/staff/gone.md", "handbook:staff/gone.md"),
        ("docs/staff", "rota.md", "handbook:staff/rota.md"),
        ("docs/staff", "staff/rota.md", "staff/rota.md"),
        (".", "staff/rota.md", "staff/rota.md"),
        (".", "handbook:staff/rota.md", "handbook:staff/rota.md"),
        (".", "docs/../elsewhere.md", "docs/../elsewhere.md"),
    ],
)
def test_a_path_into_a_source_is_its_key_and_everything_else_stays(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: tuple[str, str, str]
) -> None:
    folder, written, named = case
    monkeypatch.chdir(tmp_path / folder)
    assert key_of(settings, written) == named


def test_every_named_document_of_an_operation_is_translated(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = "docs/staff/rota.md"
    said = with_keys(settings, {"document": path, "documents": [path, "x.md"], "question": path})
    key = "handbook:staff/rota.md"
    assert said == {"document": key, "documents": [key, "x.md"], "question": path}
