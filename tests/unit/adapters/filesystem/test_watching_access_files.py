"""What else the real inotify tells: access files are their folders' business, reading is nobody's."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.model.event import FolderHint
from tests.unit.adapters.filesystem.mirror import Mirror, watching


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "doc.md").write_text("old")
    return root


@pytest.fixture
def mirror(root: Path) -> Iterator[Mirror]:
    with watching(root) as (mirror, watcher):
        yield mirror
        assert watcher.healthy


def test_an_access_file_is_a_hint_at_its_folder(root: Path, mirror: Mirror) -> None:
    (root / "a").mkdir()
    for folder, key in ((root, ""), (root / "a", "a")):
        seen = len(mirror.hints)
        (folder / ".access.yaml").write_text("allow: []")
        mirror.wait_for(lambda since=seen, at=key: mirror.hinted(at, after=since))  # type: ignore[misc]
        (folder / ".access.yaml").rename(folder / "access.bak")
        (folder / "access.bak").rename(folder / ".access.yaml")
        (folder / ".access.yaml").unlink()
    mirror.converged()
    hints = [hint for hint in mirror.hints if isinstance(hint, FolderHint)]
    assert {hint.key for hint in hints} == {"", "a"}
    assert hints[-1].identity == mirror.source.identity("a")
    assert not mirror.hinted(".access.yaml")


def test_reading_causes_no_hint(root: Path, mirror: Mirror) -> None:
    for _ in range(5):
        mirror.source.document("doc.md")
        mirror.source.listing()
    mirror.converged()
    assert not mirror.hinted("doc.md")
