"""Questions as full-text expressions, and what they can do without."""

from ingest.adapters.sqlite_fts.clauses import Clause, any_of, clauses, code_word, selective
from ingest.adapters.words import read_question


def expressions(asked: str) -> list[str]:
    return [clause.expression for clause in clauses(read_question(asked))]


def test_words_phrases_codes_and_pairs_are_alternatives() -> None:
    assert expressions("PAY-042 退款政") == [
        '{text heading} : "pay"',
        '{text heading} : "042"',
        '{text heading} : "pay 042"',
        'codes : "pay0420"',
        'cjk : "退款"',
        'cjk : "款政"',
    ]


def test_an_apostrophe_leaves_no_single_letters_and_a_compound_no_stop_words() -> None:
    assert expressions("don't") == ['{text heading} : "don"', '{text heading} : "don t"']
    assert expressions("pay-to-go") == [
        '{text heading} : "pay"',
        '{text heading} : "go"',
        '{text heading} : "pay to go"',
    ]


def test_stems_are_those_of_the_index() -> None:
    assert [clause.stems for clause in clauses(read_question("Policies naïve"))] == [("polici",), ("naiv",)]


def test_a_code_is_one_word_out_of_the_stemmers_reach() -> None:
    assert code_word("AX-204S") == "ax204s0"
    assert any_of(clauses(read_question("x"))) == '{text heading} : "x"'


def test_frequent_words_are_left_out_while_rarer_ones_remain() -> None:
    common, rare, phrase = Clause("common", ("c",)), Clause("rare", ("r",)), Clause("phrase", ("c", "r"))
    assert set(selective([common, rare, phrase], {"c": 900, "r": 3}, 100)) == {rare, phrase}


def test_of_frequent_words_alone_the_rarest_remain_and_absent_words_do_not_count() -> None:
    words = [Clause(name, (name,)) for name in ("a", "b", "c", "absent")]
    assert [c.expression for c in selective(words, {"a": 900, "b": 500, "c": 700, "absent": 0}, 100)] == ["b", "c"]
    assert selective(words[3:], {"absent": 0}, 100) == ()
