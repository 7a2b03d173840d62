"""Questions taken apart."""

import pytest

from ingest.adapters.words import MOST_WORDS, STOP_WORDS, pairs, read_question, without_runs


@pytest.mark.parametrize(
    ("asked", "pieces", "runs"),
    [
        ("What does PAY-042 mean?", ("pay-042", "mean"), ()),
        ("refund, REFUND (refund)", ("refund",), ()),
        ("don't “quote” me.", ("don't", "quote"), ()),
        ("使用PAY-042支付", ("pay-042",), ("使用", "支付")),
        ("ＰＡＹ－０４２", ("pay-042",), ()),
        ("cafe\u0301", ("café",), ()),
        ("_under_ --flag=x", ("under", "flag=x"), ()),
        ("what is it", (), ()),
        ("😀 ?!", (), ()),
    ],
)
def test_a_question_is_its_distinct_usable_words(asked: str, pieces: tuple[str, ...], runs: tuple[str, ...]) -> None:
    question = read_question(asked)
    assert (question.pieces, question.runs) == (pieces, runs)
    assert bool(question) == bool(pieces or runs)


def test_what_comes_after_the_last_word_allowed_is_left_out() -> None:
    question = read_question(" ".join(f"w{n}" for n in range(500)))
    assert question.pieces == tuple(f"w{n}" for n in range(MOST_WORDS))
    assert len(read_question("退" * 500).runs[0]) == MOST_WORDS
    assert len(read_question("a," * 500).pieces[0]) == 2 * MOST_WORDS - 1


def test_every_character_of_a_script_without_spaces_begins_a_pair() -> None:
    assert pairs("退款政 and 猫 カナ") == ("退款", "款政", "政", "猫", "カナ", "ナ")
    assert without_runs("pay退款now").split() == ["pay", "now"]


def test_stop_words_are_single_lower_case_words() -> None:
    assert all(word.isalpha() and word.islower() for word in STOP_WORDS)
