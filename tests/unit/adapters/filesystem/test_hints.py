"""From places to hints, without any watch."""

import shutil
from pathlib import Path

from ingest.adapters.filesystem.changes import Place, Touch
from ingest.adapters.filesystem.hints import hints_of
from ingest.adapters.filesystem.source import FileSource
from ingest.model.event import DocumentHint, FolderHint

QUICK, PATIENT = Touch(0.05), Touch(0.5)


def test_each_place_is_filtered_by_itself(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    source = FileSource(tmp_path)
    keys = ("a.md", "a.md~", ".a.md.swp", ".git/b.md", "b.pdf", "caf\udce9.md", "gone.md")
    hints = hints_of(source, {Place("document", key): QUICK for key in keys})
    assert hints == [DocumentHint("a.md", source.identity("a.md"), 0.05), DocumentHint("gone.md", None, 0.05)]


def test_an_access_file_speaks_for_its_folder_and_folders_come_first(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    source = FileSource(tmp_path)
    touches = {
        Place("document", "b.md"): QUICK,
        Place("document", "a/.access.yaml"): PATIENT,
        Place("folder", "a"): QUICK,
        Place("document", ".access.yaml"): QUICK,
        Place("document", ".hidden/.access.yaml"): QUICK,
    }
    assert hints_of(source, touches) == [
        FolderHint("a", source.identity("a"), 0.5),
        FolderHint("", source.identity(""), 0.05),
        DocumentHint("b.md", None, 0.05),
    ]


def test_a_folder_that_appeared_is_walked_once_and_events_within_say_more(tmp_path: Path) -> None:
    for key in ("a/b/one.md", "a/two.md"):
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key).write_text("x")
    source = FileSource(tmp_path)
    touches = {
        Place("folder", "a"): Touch(0.05, walk=True),
        Place("folder", "a/b"): Touch(0.05, walk=True),
        Place("document", "a/two.md"): PATIENT,
    }
    hints = hints_of(source, touches)
    assert {hint.key: getattr(hint, "settle_s", None) for hint in hints} == {
        "a": 0.05,
        "a/b": 0.05,
        "a/b/one.md": 0.05,
        "a/two.md": 0.5,
    }
    assert len(hints) == 4


def test_without_a_root_hints_come_without_identities(tmp_path: Path) -> None:
    source = FileSource(tmp_path / "root")
    (tmp_path / "root").mkdir()
    shutil.rmtree(tmp_path / "root")
    touches = {Place("folder", "a"): Touch(0.05, walk=True), Place("document", "b.md"): QUICK}
    assert hints_of(source, touches) == [FolderHint("a", None, 0.05), DocumentHint("b.md", None, 0.05)]
