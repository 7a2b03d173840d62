"""Long words and the ends of sentences."""

from itertools import pairwise

import pytest

from ingest.chunking.sentences import sentence_ends
from ingest.chunking.words import LONGEST_WORD, break_long_words, break_points

from .counters import minilm_counter


@pytest.mark.parametrize(
    "word",
    ["a" * 300, "한국어" * 60, "ภาษาไทย" * 40, "ひらがな" * 50, "é" * 250, f"{'a' * 80}\u200b{'b' * 80}", "x1" * 90],
)
def test_a_long_word_never_becomes_one_unknown_token(word: str) -> None:
    tokens = minilm_counter()
    broken = break_long_words(f"before {word} after")
    assert tokens.count(broken) >= tokens.count("before after") + 2
    longest = max(len(part) for part in broken.split(" "))
    assert longest <= LONGEST_WORD
    assert "".join(broken.split(" ")) == f"before{word}after"


def test_latin_words_of_any_length_are_known_once_broken() -> None:
    tokens = minilm_counter()
    assert tokens.count("a" * 300) == tokens.count("a")
    assert tokens.count(break_long_words("a" * 300)) > 90


@pytest.mark.parametrize(
    "text", ["a" * LONGEST_WORD, "支付" * 200, "https://example.org/" + "path/" * 60, "a b " * 99, ""]
)
def test_what_a_tokenizer_parts_itself_is_left_alone(text: str) -> None:
    assert break_long_words(text) == text
    assert break_points(text) == ()


def test_breaking_twice_changes_nothing_more() -> None:
    once = break_long_words("a" * 777 + " b " + "한" * 99)
    assert break_long_words(once) == once


def sentences(text: str) -> list[str]:
    starts = [0, *sentence_ends(text)]
    return [text[start:end] for start, end in pairwise(starts)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One. ", "Two! ", "Three? ", "Four"]),
        ('He left. "Really?" She stayed.', ["He left. ", '"Really?" ', "She stayed."]),
        ("Dr. Smith paid $3.50 to J. Doe, e.g. today.", ["Dr. Smith paid $3.50 to J. Doe, e.g. today."]),
        ("你好。再见！好；吗？是……对", ["你好。", "再见！", "好；", "吗？", "是……", "对"]),
        ("Wait... what? Yes.\nNew line.", ["Wait... what? ", "Yes.\n", "New line."]),
        ("Vitamin B.\u2028Two.\x0c \x00Three. D\u3000", ["Vitamin B.\u2028Two.\x0c ", "\x00Three. ", "D\u3000"]),
        ("", [""]),
    ],
)
def test_sentences_end_where_readers_expect_it(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_million_dots_are_no_trouble() -> None:
    assert sentence_ends("." * 1_000_000) == [1_000_000]
