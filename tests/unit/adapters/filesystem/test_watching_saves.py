"""F10 and F12 on the real inotify: however a file is saved, the hints lead to its last content."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.model.event import DocumentHint
from tests.unit.adapters.filesystem.mirror import Mirror, watching


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "doc.md").write_text("old")
    (root / "notes.txt").write_text("notes")
    return root


@pytest.fixture
def mirror(root: Path) -> Iterator[Mirror]:
    with watching(root) as (mirror, watcher):
        yield mirror
        assert watcher.healthy


def test_a_save_through_a_temporary_file(root: Path, mirror: Mirror) -> None:
    (root / ".x.tmp").write_text("new")
    (root / ".x.tmp").replace(root / "doc.md")
    mirror.wait_for(lambda: mirror.texts["doc.md"] == "new")
    mirror.converged()
    assert not mirror.hinted(".x.tmp")
    assert mirror.hinted("doc.md", settle_s=0.05)


def test_a_save_that_keeps_a_backup(root: Path, mirror: Mirror) -> None:
    (root / "doc.md").rename(root / "doc.md~")
    (root / "doc.md").write_text("new")
    mirror.wait_for(lambda: mirror.texts.get("doc.md") == "new")
    mirror.converged()
    assert not mirror.hinted("doc.md~")


def test_a_rename_between_included_names(root: Path, mirror: Mirror) -> None:
    inode = (root / "notes.txt").stat().st_ino
    (root / "notes.txt").rename(root / "notes.md")
    mirror.wait_for(lambda: mirror.texts == {"doc.md": "old", "notes.md": "notes"})
    mirror.converged()
    hints = {hint.key: hint.identity for hint in mirror.hints if isinstance(hint, DocumentHint)}
    assert hints["notes.txt"] is None
    arrived = hints["notes.md"]
    assert arrived
    assert arrived.inode == inode


def test_a_rename_to_an_excluded_name_and_back(root: Path, mirror: Mirror) -> None:
    (root / "notes.txt").rename(root / "notes.bak")
    mirror.wait_for(lambda: mirror.texts == {"doc.md": "old"})
    (root / "notes.bak").rename(root / "notes.txt")
    mirror.wait_for(lambda: len(mirror.texts) == 2)
    mirror.converged()
    assert not mirror.hinted("notes.bak")


def test_a_move_out_of_the_root_and_back_in(root: Path, mirror: Mirror) -> None:
    (root / "doc.md").rename(root.parent / "doc.md")
    mirror.wait_for(lambda: "doc.md" not in mirror.texts)
    seen = len(mirror.hints)
    (root.parent / "doc.md").rename(root / "doc.md")
    mirror.wait_for(lambda: mirror.texts.get("doc.md") == "old")
    assert mirror.hinted("doc.md", after=seen, settle_s=0.05)
    mirror.converged()


def test_a_swap_of_two_names(root: Path, mirror: Mirror) -> None:
    (root / "doc.md").rename(root / "swap")
    (root / "notes.txt").rename(root / "doc.md")
    (root / "swap").rename(root / "notes.txt")
    mirror.wait_for(lambda: mirror.texts == {"doc.md": "notes", "notes.txt": "old"})
    mirror.converged()


def test_a_file_written_in_pieces_is_hinted_at_with_patience_until_it_is_closed(root: Path, mirror: Mirror) -> None:
    with (root / "doc.md").open("w") as file:
        for number in range(3):
            seen = len(mirror.hints)
            file.write(f"line {number}\n")
            file.flush()
            mirror.wait_for(lambda since=seen: mirror.hinted("doc.md", after=since))  # type: ignore[misc]
            assert not mirror.hinted("doc.md", after=seen, settle_s=0.05)
        seen = len(mirror.hints)
    mirror.wait_for(lambda: mirror.hinted("doc.md", after=seen, settle_s=0.05))
    mirror.converged()
    assert mirror.texts["doc.md"] == "line 0\nline 1\nline 2\n"


def test_a_file_that_never_stops_changing_is_hinted_at_again_and_again(root: Path, mirror: Mirror) -> None:
    with (root / "log.md").open("a") as file:
        for number in range(30):
            seen = len(mirror.hints)
            file.write(f"{number}\n")
            file.flush()
            mirror.wait_for(lambda since=seen: mirror.hinted("log.md", after=since))  # type: ignore[misc]
    mirror.converged()


def test_a_file_that_vanishes_before_the_look(root: Path, mirror: Mirror) -> None:
    for _ in range(50):
        (root / "brief.md").write_text("x")
        (root / "brief.md").unlink()
    mirror.wait_for(lambda: mirror.hinted("brief.md"))
    mirror.converged()


def test_many_saves_are_few_hints(root: Path, mirror: Mirror) -> None:
    for number in range(1_000):
        (root / "doc.md").write_text(f"{number}")
    mirror.converged()
    assert mirror.texts["doc.md"] == "999"
    assert sum(hint.key == "doc.md" for hint in mirror.hints) < 500


def test_a_file_linked_into_place_is_noticed_without_ever_being_closed(root: Path, mirror: Mirror) -> None:
    os.link(root / "doc.md", root / "hard.md")
    mirror.wait_for(lambda: mirror.texts.get("hard.md") == "old")
    mirror.converged()
    assert mirror.hinted("hard.md", settle_s=0.5)
