"""F11 on the real inotify: whatever happens to folders, the hints lead to what is there."""

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ingest.model.event import DocumentHint
from tests.unit.adapters.filesystem.mirror import Mirror, watching


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    return root


@pytest.fixture
def mirror(root: Path) -> Iterator[Mirror]:
    with watching(root) as (mirror, watcher):
        yield mirror
        assert watcher.healthy


def fill(folder: Path, count: int = 50) -> Path:
    for number in range(count):
        path = folder / f"{number % 5}" / f"{number % 3}" / f"{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"text {number}")
    return folder


def test_a_folder_moved_in_and_then_changed_inside(root: Path, mirror: Mirror) -> None:
    fill(root.parent / "prepared").rename(root / "new")
    mirror.wait_for(lambda: len(mirror.texts) == 50)
    (root / "new/0/0/0.md").unlink()
    (root / "new/0/0/added.md").write_text("added")
    (root / "new/1/1/1.md").write_text("edited")
    mirror.converged()
    assert len(mirror.texts) == 50
    assert mirror.texts["new/1/1/1.md"] == "edited"


def test_nested_folders_and_a_file_created_in_the_same_instant(root: Path, mirror: Mirror) -> None:
    def create(number: int) -> None:
        path = root / f"{number}" / "a" / "b" / "c" / "doc.md"
        path.parent.mkdir(parents=True)
        path.write_text(f"{number}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(create, range(100)))
    mirror.wait_for(lambda: len(mirror.texts) == 100)
    mirror.converged()


def test_a_folder_renamed_edited_and_deleted(root: Path, mirror: Mirror) -> None:
    fill(root / "x")
    fill(root / "x-old", 5)
    mirror.converged()
    (root / "x").rename(root / "y")
    (root / "y/0/0/0.md").write_text("edited")
    mirror.wait_for(lambda: mirror.texts.get("y/0/0/0.md") == "edited")
    mirror.converged()
    assert not [key for key in mirror.texts if key.startswith("x/")]
    assert len(mirror.texts) == 55
    shutil.rmtree(root / "y")
    mirror.wait_for(lambda: len(mirror.texts) == 5)
    mirror.converged()


def test_a_folder_renamed_in_the_root_gives_no_hint_at_documents_under_its_old_name(root: Path, mirror: Mirror) -> None:
    fill(root / "x")
    mirror.converged()
    seen = len(mirror.hints)
    (root / "x").rename(root / "y")
    mirror.converged()
    assert mirror.hinted("x", after=seen)
    assert mirror.hinted("y", after=seen)
    assert not [h for h in mirror.hints[seen:] if isinstance(h, DocumentHint) and h.key.startswith("x/")]


def test_a_folder_moved_out_is_gone_with_what_was_in_it(root: Path, mirror: Mirror) -> None:
    fill(root / "x")
    mirror.converged()
    (root / "x").rename(root.parent / "x")
    mirror.wait_for(lambda: not mirror.texts)
    (root.parent / "x/0/0/0.md").write_text("edited outside")
    mirror.converged()
    (root.parent / "x").rename(root / "back")
    mirror.wait_for(lambda: len(mirror.texts) == 50)
    (root / "back/0/0/0.md").write_text("edited inside")
    mirror.converged()


def test_a_folder_created_and_renamed_at_once(root: Path, mirror: Mirror) -> None:
    for number in range(30):
        (root / f"a{number}").mkdir()
        (root / f"a{number}").rename(root / f"b{number}")
        (root / f"b{number}" / "doc.md").write_text(f"{number}")
    mirror.wait_for(lambda: len(mirror.texts) == 30)
    mirror.converged()


def test_folders_that_swap_their_names(root: Path, mirror: Mirror) -> None:
    (fill(root / "a", 6) / "a.md").write_text("a")
    (fill(root / "b", 3) / "b.md").write_text("b")
    mirror.converged()
    (root / "a").rename(root / ".swap")
    (root / "b").rename(root / "a")
    (root / ".swap").rename(root / "b")
    mirror.wait_for(lambda: "a/b.md" in mirror.texts and "b/a.md" in mirror.texts)
    (root / "a/b.md").write_text("edited")
    mirror.converged()


def test_a_folder_hidden_and_shown_again(root: Path, mirror: Mirror) -> None:
    fill(root / "x", 10)
    mirror.converged()
    (root / "x").rename(root / ".x")
    mirror.wait_for(lambda: not mirror.texts)
    (root / ".x").rename(root / "x")
    mirror.wait_for(lambda: len(mirror.texts) == 10)
    mirror.converged()
    assert not [hint for hint in mirror.hints if hint.key.startswith(".x")]


def test_a_folder_deleted_and_made_again_under_the_same_name(root: Path, mirror: Mirror) -> None:
    for number in range(20):
        fill(root / "x", 3)
        shutil.rmtree(root / "x")
        (root / "x").mkdir()
        (root / "x" / "doc.md").write_text(f"{number}")
    mirror.wait_for(lambda: mirror.texts.get("x/doc.md") == "19")
    mirror.converged()
