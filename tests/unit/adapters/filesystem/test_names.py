"""Keys that can exist, and names that mean the same."""

import pytest

from ingest.adapters.filesystem.names import forms, parts_of, same_name

COMPOSED, DECOMPOSED = "r\u00e9sum\u00e9.md", "re\u0301sume\u0301.md"


@pytest.mark.parametrize(
    "key", ["/a.md", "a/", "a//b", ".", "..", "a/../b", "a/./b", "a\0b", "a/\udcff.md", "\ud800", "../../etc/passwd"]
)
def test_a_key_that_leaves_the_root_or_cannot_be_a_name_is_refused(key: str) -> None:
    assert parts_of(key) is None


def test_a_key_is_its_names() -> None:
    assert parts_of("") == ()
    assert parts_of("a/b c/..d.md") == ("a", "b c", "..d.md")


def test_unicode_forms_of_one_name_are_the_same_and_other_names_are_not() -> None:
    assert same_name(COMPOSED, DECOMPOSED)
    assert not same_name(COMPOSED, "resume.md")
    assert not same_name("A.md", "a.md")
    assert set(forms(COMPOSED)) == {COMPOSED, DECOMPOSED}
    assert forms("plain.md") == ("plain.md",)
