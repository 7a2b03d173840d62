"""Structure: which texts stand under which headings (scenarios F01, F02, F07)."""

import pytest

from ingest.chunking.chunker import Chunker
from ingest.model.chunk import Passage

from .counters import WordCounter
from .texts import squeezed, texts_of

ROOMY = Chunker(WordCounter(256), "")


def cut(text: str) -> tuple[Passage, ...]:
    return ROOMY.passages(text, media="markdown")


def paths(text: str) -> list[tuple[str, ...]]:
    return [passage.heading_path for passage in cut(text)]


def test_a_section_that_fits_is_one_passage_with_its_heading_path() -> None:
    text = "# Payments\n\nIntro.\n\n## Refunds\n\nOne.\n\n- two\n- three\n\n### Late\n\nFour.\n"
    assert cut(text) == (
        Passage("Intro.", ("Payments",), ("Payments",)),
        Passage("One.\n\n- two\n- three", ("Payments", "Refunds"), ("Payments", "Refunds")),
        Passage("Four.", ("Payments", "Refunds", "Late"), ("Payments", "Refunds", "Late")),
    )


def test_text_before_the_first_heading_has_no_path() -> None:
    assert cut("Preface.\n\n# One\n\nText.")[0] == Passage("Preface.")


def test_a_shallower_heading_ends_the_deeper_ones() -> None:
    assert paths("# A\n\n### B\n\nb\n\n## C\n\nc\n\n# D\n\nd\n") == [("A", "B"), ("A", "C"), ("D",)]


def test_a_heading_with_nothing_directly_under_it_is_only_part_of_the_path_of_what_follows() -> None:
    assert cut("# A\n\n## B\n\ntext\n") == (Passage("text", ("A", "B"), ("A", "B")),)


def test_a_heading_with_no_text_in_its_whole_subtree_is_a_passage() -> None:
    text = "# A\n\n## B\n\n# C\n\ntext\n\nLast\nline\n====\n"
    assert [(passage.text, passage.heading_path) for passage in cut(text)] == [
        ("# A", ("A",)),
        ("## B", ("A", "B")),
        ("text", ("C",)),
        ("Last\nline\n====", ("Last line",)),
    ]


def test_a_rule_alone_stands_with_its_heading() -> None:
    assert texts_of(ROOMY, "# Title\n\n---\n\n## B\n\ntext\n") == ["# Title\n\n---", "text"]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("## Closed ##", "Closed"),
        ("##\tTabbed", "Tabbed"),
        ("# C# and F#", "C# and F#"),
        ("# *Raw* `code` \\# &amp;", "*Raw* `code` \\# &amp;"),
        ("# nul\x00here", "nul\x00here"),
        ("   ###   Indented   ", "Indented"),
        ("Setext\ntwo\n---", "Setext two"),
    ],
)
def test_a_heading_is_its_raw_source_without_the_markers(line: str, title: str) -> None:
    assert paths(f"{line}\n\ntext\n") == [(title,)]


def test_an_empty_heading_closes_a_section_and_adds_nothing_to_the_path() -> None:
    assert paths("# A\n\na\n\n#\n\ntext\n") == [("A",), ()]


def test_headings_inside_quotes_and_lists_open_no_section() -> None:
    text = "# A\n\n> # quoted\n> text\n\n- # listed\n"
    assert cut(text) == (Passage(text[5:-1], ("A",), ("A",)),)


def test_link_definitions_go_with_the_block_before_and_at_the_top_after() -> None:
    assert texts_of(ROOMY, "[a]: /a\n\n# H\n\ntext\n\n[b]: /b\n") == ["[a]: /a", "text\n\n[b]: /b"]
    assert texts_of(ROOMY, "[a]: /a\n\ntext\n") == ["[a]: /a\n\ntext"]


@pytest.mark.parametrize("fence", ["```python", "~~~"])
def test_a_fence_that_is_never_closed_runs_to_the_end(fence: str) -> None:
    """F01"""
    text = f"# Real\n\nOne sentence.\n\n{fence}\nx = 1\n\n## Not a heading\nHere is ZEBRA1."
    assert cut(text) == (Passage(text[8:], ("Real",), ("Real",)),)


def test_a_text_may_end_directly_after_an_opening_fence() -> None:
    """F01"""
    assert texts_of(ROOMY, "# Real\n\nOne.\n\n```python") == ["One.\n\n```python"]


CODE_WITH_HASHES = {
    "backticks": "```\n# no\n```",
    "tildes": "~~~\n# no\n~~~",
    "longer": "````\n```\n# in\n```\n# no\n````",
    "tilde and word": "~~~\n~~~ word\n# no\n~~~",
    "indented fence": "```\n    ```\n# no\n```",
    "inline span": "``` code ```",
}


def test_lines_with_hashes_inside_code_are_no_headings() -> None:
    """F02"""
    text = "".join(f"# {name}\n\n{block}\n\n" for name, block in CODE_WITH_HASHES.items()) + "# end\n\nend\n"
    assert paths(text) == [(name,) for name in [*CODE_WITH_HASHES, "end"]]
    assert texts_of(ROOMY, text) == [*CODE_WITH_HASHES.values(), "end"]


@pytest.mark.parametrize("text", ["", " ", "\n\n", " \n\t\n", "\u3000", "\x0c\n", "\u2028"])
@pytest.mark.parametrize("media", ["markdown", "plain"])
def test_a_blank_text_has_no_passage(text: str, media: str) -> None:
    """F07"""
    assert ROOMY.passages(text, media="plain" if media == "plain" else "markdown") == ()


def test_two_headings_with_nothing_between_make_no_blank_passage() -> None:
    """F07"""
    assert texts_of(ROOMY, "# A\n# B\n") == ["# A", "# B"]


def test_thousands_of_blanks_between_two_words_make_no_blank_passage() -> None:
    """F07"""
    text = f"a{' ' * 5000}b"
    assert texts_of(ROOMY, text) == [text]
    narrow = texts_of(Chunker(WordCounter(8), ""), f"{'a ' * 9}{' ' * 5000}b")
    assert all(map(str.strip, narrow))
    assert squeezed("".join(narrow)) == "aaaaaaaaab"


def test_plain_text_knows_no_headings() -> None:
    assert ROOMY.passages("# no heading\n\ntext\n", media="plain") == (Passage("# no heading\n\ntext"),)


def test_lines_end_at_line_feeds_alone() -> None:
    text = "# A\x0cb\u2028c\x0b\n\none\x0ctwo\u2028three\n\n## D\n\nfour"
    assert [(passage.text, passage.heading_path[-1]) for passage in cut(text)] == [
        ("one\x0ctwo\u2028three", "A\x0cb\u2028c"),
        ("four", "D"),
    ]


def test_windows_line_ends_make_the_same_passages() -> None:
    text = "# A\n\none\ntwo\n\n```\ncode\n```\n"
    assert cut(text.replace("\n", "\r\n")) == cut(text)
