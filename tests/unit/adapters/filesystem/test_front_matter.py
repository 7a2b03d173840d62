"""F04 and F26: front matter is metadata in every byte form, and never more than metadata."""

import codecs

import pytest

from ingest.adapters.filesystem.decoding import decode
from ingest.adapters.filesystem.front_matter import ACCESS_KEYS, FrontMatter, split_front_matter
from ingest.errors import ContentUnreadable

SOURCE = "---\ntitle: Refunds\ncategory: payments\n---\n# Refunds\n\nText\n"


def read(text: str) -> tuple[FrontMatter, str]:
    return split_front_matter(text, shown="a.md")


def metadata(yaml: str) -> dict[str, str]:
    return read(f"---\n{yaml}\n---\n")[0].metadata


@pytest.mark.parametrize(
    "raw",
    [
        SOURCE.encode(),
        codecs.BOM_UTF8 + SOURCE.encode(),
        SOURCE.replace("\n", "\r\n").encode(),
        codecs.BOM_UTF8 + SOURCE.replace("\n", "\r\n").encode(),
    ],
)
def test_all_byte_forms_give_the_same_metadata_and_text(raw: bytes) -> None:
    found, text = read(decode(raw, shown="a.md").text)
    assert found == FrontMatter({"category": "payments"}, "Refunds")
    assert text == "# Refunds\n\nText\n"


@pytest.mark.parametrize("end", ["---", "--- ", "...", "---\n"])
def test_the_closing_line_may_be_the_last_bytes(end: str) -> None:
    found, text = read(f"---\ncategory: payments\n{end}")
    assert found.metadata == {"category": "payments"}
    assert not text


@pytest.mark.parametrize(
    "text", ["# No front matter\n---\na: b\n---\n", "---\n\nA rule, then text.\n", "---", " ---\na: b\n"]
)
def test_a_rule_is_no_front_matter(text: str) -> None:
    assert read(text) == (FrontMatter(), text)


@pytest.mark.parametrize("block", ["", "\n", "# only a comment\n"])
def test_an_empty_block_is_no_metadata(block: str) -> None:
    assert read(f"---\n{block}---\nText") == (FrontMatter(), "Text")


@pytest.mark.parametrize(
    ("block", "line", "reason"),
    [
        ("title: Refunds\nallow: [a", 3, "broken YAML"),
        ("a: b: c", 2, "broken YAML"),
        ("just words", 2, "mapping"),
        ("- a\n- b", 2, "mapping"),
        ("a: 1\nb: 2\na: 3", 4, "'a' is there twice"),
        ("a: &x [1]\nb: *x", 2, "anchors"),
        ("a: !!python/object/apply:os.system [id]", 2, "tags"),
        ("a: " + "[" * 40 + "]" * 40, 2, "nested"),
        ("[a, b]: c", 2, "one plain word"),
    ],
)
def test_broken_front_matter_names_file_line_and_reason(block: str, line: int, reason: str) -> None:
    with pytest.raises(ContentUnreadable, match=rf"^a\.md, line {line}: front matter: [^\n]*{reason}[^\n]*$"):
        read(f"---\n{block}\n---\nText")


def test_front_matter_that_is_never_closed_is_reported_where_a_key_follows() -> None:
    with pytest.raises(ContentUnreadable, match="never closed"):
        read("---\nallow: [group:support]\n\n# Text\n")


def test_front_matter_of_unreasonable_size_is_refused() -> None:
    with pytest.raises(ContentUnreadable, match="65536 are allowed"):
        read(f"---\na: {'x' * 70_000}\n---\n")


def test_an_alias_bomb_is_refused_before_it_grows() -> None:
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]" for n in range(1, 40))]
    with pytest.raises(ContentUnreadable, match="anchors"):
        read("---\n" + "\n".join(lines) + "\n---\n")


def test_values_keep_their_spelling() -> None:
    assert metadata("published: 2024-01-05\nversion: 1.10\nfinal: no\ncode: 007\nquoted: 'TBD'") == {
        "published": "2024-01-05",
        "version": "1.10",
        "final": "no",
        "code": "007",
        "quoted": "TBD",
    }


def test_lists_are_joined_mappings_are_flattened_and_null_is_left_out() -> None:
    assert metadata("tags: [a, b, {c: d}, null]\nversion: {major: 1, minor: {patch: 2}}\nempty:\nnone: ~") == {
        "tags": "a, b",
        "version.major": "1",
        "version.minor.patch": "2",
    }


def test_of_equal_keys_the_first_counts() -> None:
    assert metadata("a.b: plain\na: {b: nested}") == {"a.b": "plain"}


def test_values_are_one_short_line_and_keys_are_words() -> None:
    found = metadata('long: |\n  one\n  two\nbell: "a\\u0007b\\0"\na=b: c\n"": d\nx: ' + "y" * 2_000)
    assert found == {"long": "one two", "bell": "ab", "x": "y" * 1_000}


def test_of_1500_keys_the_first_hundred_count() -> None:
    assert list(metadata("\n".join(f"k{n}: v" for n in range(1_500)))) == [f"k{n}" for n in range(100)]


@pytest.mark.parametrize(
    "key", sorted({"Allow", "read-access", "ACL", "allowed groups", "permissions.read", *ACCESS_KEYS})
)
def test_an_access_key_closes_the_document_and_is_no_metadata(key: str) -> None:
    found, _ = read(f"---\n{key}: [public]\ncategory: payments\n---\nText")
    assert found.closed
    assert repr(key) in found.closed
    assert "\n" not in found.closed
    assert found.metadata == {"category": "payments"}


def test_keys_that_only_contain_such_a_word_close_nothing() -> None:
    assert read("---\naccessibility: yes\nnested: {access: ramp}\nallowance: 5\n---\n")[0].closed is None


def test_our_own_words_are_ordinary_metadata() -> None:
    assert metadata("doc_id: 7\nid: 8\nkey: k") == {"doc_id": "7", "id": "8", "key": "k"}
