"""What real engines add for English and for Latin scripts: word forms and accents."""

import pytest

from ingest.ports import LexicalIndex
from tests.contract.lexical_questions import QuestionContract
from tests.contract.records import ids, record


class WordFormContract(QuestionContract):
    """Both engines stem with Porter's algorithm and take accents off, so that one question finds the same in both."""

    @pytest.mark.parametrize(
        ("question", "text"),
        [
            ("refunds", "a refund is due"),
            ("refunded", "refunding takes a week"),
            ("policies", "our policy"),
            ("cafe", "the Café at the corner"),
            ("CAFÉ", "the cafe at the corner"),
            ("cafe\u0301", "the café at the corner"),
            ("naïve", "a nai\u0308ve guess"),
            ("customer's", "the customers' choice"),
        ],
    )
    def test_forms_of_a_word_find_each_other(self, index: LexicalIndex, question: str, text: str) -> None:
        self.add(index, [record(1, text), record(2, "something unrelated")])
        assert self.asked(index, question) == ids(1)

    @pytest.mark.parametrize("code", ["PAY042", "v2.3.1", "foo_bar7", "E1001"])
    def test_codes_without_a_hyphen_are_words(self, index: LexicalIndex, code: str) -> None:
        self.add(index, [record(1, f"The message {code}, as shown."), record(2, "The message E1002 v2.4 PAY043 foo.")])
        assert self.asked(index, code)[0] == ids(1)[0]
