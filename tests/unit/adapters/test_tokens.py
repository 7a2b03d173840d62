"""Cutting and batching, where an example says more than a law."""

import pytest

from ingest.adapters.onnx.presets import MINILM_TOKENIZER
from ingest.adapters.tokenizer.batches import counted_batches, padded_batches
from ingest.adapters.tokenizer.boundary import character_start
from ingest.adapters.tokenizer.counter import FileTokenCounter
from ingest.adapters.tokenizer.words import WordTokenCounter


@pytest.fixture(scope="module")
def minilm() -> FileTokenCounter:
    return FileTokenCounter(MINILM_TOKENIZER.locate(), 256)


@pytest.mark.parametrize(
    ("text", "offset", "start"),
    [
        ("cafe\u0301x", 4, 3),  # between the letter and its accent
        ("cafe\u0301x", 5, 5),
        ("a👍🏽b", 2, 1),  # between the hand and its colour
        ("a👩\u200d🔬b", 2, 1),
        ("a👩\u200d🔬b", 3, 1),
        ("a\ud83d\udc4d", 2, 1),
        ("e\u0301", 1, 1),  # nothing is left before it: the cut stays
        ("plain", 3, 3),
        ("plain", 5, 5),
    ],
)
def test_a_cut_moves_back_to_where_a_character_starts(text: str, offset: int, start: int) -> None:
    assert character_start(text, offset) == start


def test_an_accent_stays_with_its_letter(minilm: FileTokenCounter) -> None:
    text = "cafe\u0301" * 15
    offset = minilm.cut(text, 10)
    assert text[offset] != "\u0301"


def test_white_space_after_the_last_word_belongs_to_the_prefix(minilm: FileTokenCounter) -> None:
    assert minilm.cut("one two three", 4) == len("one two ")


@pytest.mark.parametrize("filler", [" " * 20_000, "0" * 101, "x" * 5_000, "\n \n" * 3_000])
def test_what_holds_few_tokens_in_many_characters_is_not_cut_early(minilm: FileTokenCounter, filler: str) -> None:
    text = f"one {filler} two three four"
    whole = minilm.count(text)
    assert text[: minilm.cut(text, whole - 1)].endswith("three ")


def test_a_long_text_is_cut_without_reading_all_of_it(
    minilm: FileTokenCounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    def noting(text: str) -> str:
        read.append(len(text))
        return text

    monkeypatch.setattr("ingest.adapters.tokenizer.counter.encodable", noting)
    text = "refund window " * 20_000
    assert minilm.count(text[: minilm.cut(text, 256)]) == 256
    assert sum(read) < 10_000


def test_words_of_the_stand_in_are_counted_in_pieces_of_twelve() -> None:
    words = WordTokenCounter(256)
    assert words.count("refund " + "x" * 30) == 2 + 1 + 3
    assert words.cut("refund " + "x" * 30, 4) == len("refund ") + 12


def test_padded_batches_hold_the_limit_with_padding_counted() -> None:
    lengths = [10, 200, 30, 90, 95, 100, 300]
    batches = list(padded_batches(lengths, 200))
    assert sorted(at for batch in batches for at in batch) == list(range(7))
    assert [sorted(batch) for batch in batches] == [[6], [1], [4, 5], [2, 3], [0]]
    assert list(padded_batches([], 200)) == []


def test_counted_batches_hold_both_limits_and_the_order() -> None:
    assert list(counted_batches([5, 5, 5, 20, 1, 1, 1, 1], 10, 3)) == [[0, 1], [2], [3], [4, 5, 6], [7]]
    assert list(counted_batches([], 10, 3)) == []
