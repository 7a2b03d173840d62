"""Nothing outside the root is ever read, whatever keys and links say."""

import os
from pathlib import Path

import pytest

from ingest.adapters.filesystem.source import FileSource
from ingest.errors import SourceUnavailable
from ingest.model.access import PolicyKind
from ingest.model.source import DocumentSeen, FolderSeen, Gone


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "secret.md").write_text("secret")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_text("secret")
    root = tmp_path / "root"
    (root / "inside").mkdir(parents=True)
    (root / "inside" / "real.md").write_text("real")
    return root


@pytest.mark.parametrize("target", ["../secret.md", "inside/real.md", "nowhere.md", "link.md"])
def test_a_document_behind_a_link_is_gone_wherever_it_leads(root: Path, target: str) -> None:
    (root / "link.md").symlink_to(target)
    source = FileSource(root)
    gone = source.document("link.md")
    assert isinstance(gone, Gone)
    assert "link" in gone.reason
    assert source.identity("link.md") is None
    listing = source.listing()
    assert set(listing.documents) == {"inside/real.md"}
    assert listing.problems == ("link.md is left out: a symbolic link, which is never followed",)
    assert not listing.unlisted


@pytest.mark.parametrize("target", ["../outside", "inside", ".", ".."])
def test_a_folder_behind_a_link_is_gone_wherever_it_leads(root: Path, target: str) -> None:
    (root / "link").symlink_to(target)
    source = FileSource(root)
    for key in ("link/secret.md", "link/real.md", "link/inside/real.md"):
        assert isinstance(source.document(key), Gone)
        assert source.identity(key) is None
    assert isinstance(source.folder("link"), Gone)
    assert not source.listing("link").folders
    listing = source.listing()
    assert set(listing.folders) == {"", "inside"}
    assert listing.problems == ("link is left out: a symbolic link, which is never followed",)


def test_a_link_that_would_not_belong_is_no_problem(root: Path) -> None:
    (root / ".hidden").symlink_to("../outside")
    (root / "tool.sh").symlink_to("../secret.md")
    assert not FileSource(root).listing().problems


def test_a_folder_that_becomes_a_link_during_a_listing_leads_nowhere(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, opened = FileSource(root), os.scandir

    def swap_then_list(at: int) -> object:
        if (root / "inside").is_dir() and not (root / "inside").is_symlink():
            names = opened(at)
            listed = list(names)
            (root / "inside").rename(root / "was-inside")
            (root / "inside").symlink_to("../outside")
            names.close()
            return _Listed(listed)
        return opened(at)

    monkeypatch.setattr(os, "scandir", swap_then_list)
    listing = source.listing()
    assert not [key for key in listing.documents if "secret" in key]
    assert "inside" not in listing.folders


class _Listed(list[os.DirEntry[str]]):
    def close(self) -> None: ...


def test_an_access_file_behind_a_link_is_unreadable(root: Path) -> None:
    (root.parent / "access.yaml").write_text("allow: [public]")
    (root / "inside" / ".access.yaml").symlink_to("../../access.yaml")
    seen = FileSource(root).folder("inside")
    assert isinstance(seen, FolderSeen)
    assert seen.rules.policy.kind is PolicyKind.UNREADABLE
    assert seen.rules.problem
    assert seen.rules.problem.startswith("inside/.access.yaml is a symbolic link")
    assert seen.access_file == FileSource(root).listing().access_files["inside"]


@pytest.mark.parametrize("key", ["../secret.md", "inside/../../secret.md", "/etc/hostname.md", "inside/..", "a\0.md"])
def test_no_key_leads_out(root: Path, key: str) -> None:
    source = FileSource(root)
    assert isinstance(source.document(key), Gone)
    assert isinstance(source.folder(key), Gone)
    assert source.identity(key) is None
    assert source.exact_key(key) is None
    assert not source.listing(key).folders


def test_an_absolute_key_of_a_document_in_the_root_is_refused_too(root: Path) -> None:
    assert isinstance(FileSource(root).document(str(root / "inside/real.md")), Gone)


def test_the_root_itself_may_be_a_link(root: Path) -> None:
    link = root.with_name("link-to-root")
    link.symlink_to(root)
    assert isinstance(FileSource(link).document("inside/real.md"), DocumentSeen)
    root.rename(root.with_name("away"))
    with pytest.raises(SourceUnavailable, match="is it there and mounted"):
        FileSource(link).listing()


def test_a_root_that_is_a_file_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "root").write_text("")
    for ask in (FileSource(tmp_path / "root").document, FileSource(tmp_path / "root").listing):
        with pytest.raises(SourceUnavailable):
            ask("../x")


def test_what_is_no_regular_file_is_not_read(root: Path) -> None:
    os.mkfifo(root / "pipe.md")
    (root / "folder.md").mkdir()
    source = FileSource(root)
    assert isinstance(source.document("pipe.md"), Gone)
    assert isinstance(source.document("folder.md"), Gone)
    assert source.identity("pipe.md") is None
    assert source.listing().problems == ("pipe.md is left out: not a regular file",)
    os.mkfifo(root / "inside" / ".access.yaml")
    seen = source.folder("inside")
    assert isinstance(seen, FolderSeen)
    assert seen.rules.problem
