"""Trees of unusual shape."""

import time
from pathlib import Path

from ingest.adapters.filesystem.source import FileSource
from ingest.model.source import DocumentSeen


def test_a_name_that_is_not_utf_8_is_left_out_and_named(tmp_path: Path) -> None:
    (tmp_path / "caf\udce9.md").write_text("x")  # one byte that is no UTF-8
    (tmp_path / "a.md").write_text("x")
    listing = FileSource(tmp_path).listing()
    assert set(listing.documents) == {"a.md"}
    assert "is left out: its name is not UTF-8" in listing.problems[0]
    assert listing.problems[0].isascii()


def test_a_very_deep_tree_is_listed_and_read(tmp_path: Path) -> None:
    source, depth = FileSource(tmp_path), 150
    (tmp_path / "/".join(["deep"] * depth)).mkdir(parents=True)
    key = "/".join(["deep"] * depth + ["a.md"])
    (tmp_path / key).write_text("x")
    assert set(source.listing().documents) == {key}
    assert isinstance(source.document(key), DocumentSeen)


def test_listing_5000_files_takes_a_fraction_of_a_second(tmp_path: Path) -> None:
    for number in range(5_000):
        folder = tmp_path / f"{number % 50}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.md").touch()
    began = time.process_time()
    assert len(FileSource(tmp_path).listing().documents) == 5_000
    assert time.process_time() - began < 1.0  # 0.05 s on an idle machine
