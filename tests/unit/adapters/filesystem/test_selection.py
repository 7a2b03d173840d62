"""Which names belong to a source."""

import pytest

from ingest.adapters.filesystem.selection import Selection
from ingest.errors import SettingsInvalid


@pytest.mark.parametrize("key", ["a.md", "a/b/c.markdown", "a/notes.txt", "a b/é.md", "a/4913.md"])
def test_documents_belong_by_default(key: str) -> None:
    assert Selection().document(key.split("/"))


@pytest.mark.parametrize(
    "key",
    [
        *(".a.md", ".git/a.md", "a/.obsidian/b.md", "a.md~", ".a.md.swp", "a.md.bak", "a.md.tmp", "~$a.txt", "#a.md#"),
        *(".x.tmp", "a.md.swp", "a.bak/b.md", "a.pdf", "a", ".access.yaml", "a/.access.yaml", "a.md.part", "a.md.orig"),
    ],
)
def test_hidden_temporary_and_other_names_do_not(key: str) -> None:
    assert not Selection().document(key.split("/"))


def test_an_excluded_folder_takes_everything_below_with_it() -> None:
    selection = Selection(exclude=["/drafts/", "secret"])
    assert not selection.document(["drafts", "x", "a.md"])
    assert not selection.folder(["a", "secret", "b"])
    assert selection.document(["a", "drafts", "a.md"])
    assert selection.document(["drafts-old", "a.md"])


def test_a_later_pattern_lets_in_what_is_always_excluded_but_never_an_access_file() -> None:
    selection = Selection(["*.md", "*.yaml"], ["!.github", "!.access.yaml"])
    assert selection.document([".github", "a.md"])
    assert not selection.document([".git", "a.md"])
    assert not selection.document([".access.yaml"])


def test_a_pattern_that_is_none_is_refused_by_name() -> None:
    with pytest.raises(SettingsInvalid, match="include: '!'"):
        Selection(["*.md", "!"])
