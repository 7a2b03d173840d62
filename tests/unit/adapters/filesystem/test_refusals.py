"""What the system refuses: said as unavailable, never as gone."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingest.adapters.filesystem.source import FileSource
from ingest.errors import SourceUnavailable
from ingest.model.access import PolicyKind
from ingest.model.source import FolderSeen

NOBODY = 65_534


@pytest.fixture
def root() -> Iterator[Path]:
    """Below the system's temporary folder: pytest's own is closed to other users."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)
        yield root


@contextmanager
def without_privileges() -> Iterator[None]:
    """Root may read everything; for a moment this process is somebody else."""
    me = os.geteuid()
    if me == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if me == 0:
            os.seteuid(me)


def test_a_forbidden_document_is_unavailable_and_named(root: Path) -> None:
    (root / "a.md").write_text("x")
    (root / "a.md").chmod(0)
    with without_privileges(), pytest.raises(SourceUnavailable, match=r"^a\.md: permission denied; let the user"):
        FileSource(root).document("a.md")


def test_a_forbidden_folder_is_unlisted_and_what_is_in_it_unavailable(root: Path) -> None:
    for key in ("closed/a.md", "open/b.md"):
        (root / key).parent.mkdir()
        (root / key).write_text("x")
    (root / "closed").chmod(0)
    source = FileSource(root)
    with without_privileges():
        listing = source.listing()
        with pytest.raises(SourceUnavailable):
            source.document("closed/a.md")
        with pytest.raises(SourceUnavailable):
            source.identity("closed/a.md")
        with pytest.raises(SourceUnavailable):
            source.folder("closed")
    (root / "closed").chmod(0o755)
    assert listing.unlisted == {"closed"}
    assert set(listing.documents) == {"open/b.md"}
    assert listing.problems == ("the folder closed could not be listed: Permission denied",)


def test_a_forbidden_access_file_is_unreadable_and_says_so(root: Path) -> None:
    (root / ".access.yaml").write_text("allow: [public]")
    (root / ".access.yaml").chmod(0)
    with without_privileges():
        seen = FileSource(root).folder("")
    assert isinstance(seen, FolderSeen)
    assert seen.rules.policy.kind is PolicyKind.UNREADABLE
    assert seen.rules.problem
    assert seen.rules.problem.startswith(".access.yaml: permission denied")
    assert seen.has_access_file


def test_a_forbidden_root_says_nothing(root: Path) -> None:
    (root / "a.md").write_text("x")
    root.chmod(0)
    with without_privileges():
        for ask in (FileSource(root).listing, FileSource(root).document):
            with pytest.raises(SourceUnavailable):
                ask("a.md")
    root.chmod(0o755)


@pytest.mark.parametrize("broken_at", ["", "a"])
def test_a_listing_that_stops_half_way_keeps_what_it_saw_and_names_the_folder(
    root: Path, monkeypatch: pytest.MonkeyPatch, broken_at: str
) -> None:
    for key in ("one.md", "two.md", "a/one.md", "a/two.md", "b/one.md"):
        (root / key).parent.mkdir(exist_ok=True)
        (root / key).write_text("x")
    inode, scandir = (root / broken_at).stat().st_ino, os.scandir

    class HalfWay:
        def __init__(self, at: int) -> None:
            self._entries = sorted(scandir(at), key=lambda entry: entry.name)
            self._breaks = os.fstat(at).st_ino == inode

        def __iter__(self) -> Iterator[os.DirEntry[str]]:
            for seen, entry in enumerate(self._entries):
                if self._breaks and seen == len(self._entries) - 1:
                    raise OSError(errno.EIO, os.strerror(errno.EIO))
                yield entry

        def close(self) -> None: ...

    monkeypatch.setattr(os, "scandir", HalfWay)
    listing = FileSource(root).listing()
    assert listing.unlisted == {broken_at}
    assert ("two.md" in listing.documents) == (broken_at != "")
    assert ("a/two.md" in listing.documents) == (broken_at != "a")
    assert {"one.md", "a/one.md", "b/one.md"} <= set(listing.documents)


def test_an_input_output_error_says_nothing_of_the_document(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "a.md").write_text("x")
    (root / ".access.yaml").write_text("allow: []")

    def fail(file: int, size: int) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "read", fail)
    source = FileSource(root)
    with pytest.raises(SourceUnavailable, match=r"^a\.md: Input/output error"):
        source.document("a.md")
    with pytest.raises(SourceUnavailable, match=r"^\.access\.yaml: Input/output error"):
        source.folder("")
