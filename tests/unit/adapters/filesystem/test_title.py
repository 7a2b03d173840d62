"""What a document is called."""

import pytest

from ingest.adapters.filesystem.title import title_of


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Refunds\n", "Refunds"),
        ("intro\n\n## Refunds and  returns ##\n", "Refunds and returns"),
        ("Refunds\n=======\n", "Refunds"),
        ("Refunds\n---\n", "Refunds"),
        ("```sh\n# a comment\n```\n# Refunds", "Refunds"),
        ("~~~\n# no\n```\n# no\n~~~\n# Refunds", "Refunds"),
        ("#hashtag\n\n---\n\n# Refunds", "Refunds"),
        ("- item\n---\n# Refunds", "Refunds"),
        ("#\n# Refunds", "Refunds"),
        ("no heading", "a.md"),
        ("", "a.md"),
    ],
)
def test_the_first_heading_with_words_else_the_name(text: str, title: str) -> None:
    assert title_of(text, media="markdown", name="a.md") == title


def test_plain_text_has_no_headings() -> None:
    assert title_of("# a comment\n", media="plain", name="a.txt") == "a.txt"
