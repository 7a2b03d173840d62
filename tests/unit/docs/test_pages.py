"""The pages say what is there: paths exist, and every setting is explained."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from ingest.settings import (
    DirectorySource,
    EdgeVector,
    IndexingSettings,
    ModelSettings,
    OpenSearchLexical,
    QdrantVector,
    SearchSettings,
    Settings,
    UpkeepSettings,
    WatchSettings,
)

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SECTIONS: list[type[BaseModel]] = [
    Settings,
    DirectorySource,
    EdgeVector,
    OpenSearchLexical,
    QdrantVector,
    ModelSettings,
    IndexingSettings,
    SearchSettings,
    WatchSettings,
    UpkeepSettings,
]


def _paths(page: Path) -> Iterator[str]:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    yield from re.findall(r"`((?:ingest|worker|tests|deploy|docs|bench)/[\w./-]*)`", text)
    for link in re.findall(r"\]\(([^)#\s]+)\)", text):
        if "://" not in link:
            yield str((page.parent / link).resolve().relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_a_page_names_exists(page: Path) -> None:
    assert [path for path in _paths(page) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.__name__)
def test_every_setting_is_explained(section: type[BaseModel]) -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    named = set(re.findall(r"[a-z_]+", page))
    assert [key for key in section.model_fields if key not in named] == []
