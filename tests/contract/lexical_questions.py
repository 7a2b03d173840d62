"""Questions as people and attackers write them, shared by all lexical indexes."""

import pytest

from ingest.model.principal import Principal
from ingest.model.record import RecordId
from ingest.ports import LexicalIndex
from tests.contract.index_case import IndexCase
from tests.contract.records import NO_FILTER, READER, ids, record

STRANGE = [
    "",
    "   \n\t",
    "?!…",
    "😀",
    "👩‍👩‍👧 🏳️‍🌈",
    "'",
    '"',
    '"unclosed',
    "a'b\"c",
    "NEAR(",
    "NEAR(refund window, 2)",
    "refund AND",
    "NOT",
    "OR OR OR",
    "-refund +window",
    "^refund",
    "text:refund",
    "{text heading}: refund",
    "refund*",
    "*",
    "re?und~2",
    "(((((",
    "\\",
    "refund\x00window",
    "refund\ud800",
    "<b>refund</b>",
    "; DROP TABLE rec; --",
    "a" * 10_000,
    "refund " * 1_500,
    " ".join(f"word{n}" for n in range(1_200)),
    ",".join("xyzw"[n % 4] + str(n) for n in range(3_000)),
    "退" * 10_000,
    "'" * 10_000,
]


class QuestionContract(IndexCase[LexicalIndex]):
    """What questions find, and that no question breaks anything."""

    def asked(self, index: LexicalIndex, question: str, *, limit: int = 10) -> list[RecordId]:
        return [hit.id for hit in index.search(question, caller=READER, filters=NO_FILTER, limit=limit)]

    def with_codes(self, index: LexicalIndex, *codes: str) -> list[RecordId]:
        return [hit.id for hit in index.with_codes(codes, caller=READER, filters=NO_FILTER, limit=10)]

    @pytest.mark.parametrize("question", STRANGE, ids=[f"{n}" for n in range(len(STRANGE))])
    def test_no_question_breaks_the_search(self, index: LexicalIndex, question: str) -> None:
        self.add(index, [record(1), record(2, "nothing of the kind"), record(3, "secret refund", allow=[])])
        assert self.asked(index, question) in ([], ids(1))

    def test_what_is_no_text_matches_nothing_and_breaks_nothing(self, index: LexicalIndex) -> None:
        self.add(index, [record(1, codes=("AX-204",), metadata=("k=v",))])
        half = "\ud800"
        strange = frozenset({*READER, Principal(half)})
        assert [hit.id for hit in index.search("refund", caller=strange, filters=NO_FILTER, limit=5)] == ids(1)
        assert list(index.search("refund", caller=READER, filters={"k": frozenset({half})}, limit=5)) == []
        assert self.with_codes(index, half, f"AX{half}-204") == []

    @pytest.mark.parametrize("question", ["", "what is the", "How do I?", "😀", "\x00"])
    def test_a_question_without_a_usable_word_gives_nothing(self, index: LexicalIndex, question: str) -> None:
        self.add(index, [record(1, "what is the use of this, and how do I do it? 😀")])
        assert self.asked(index, question) == []

    @pytest.mark.parametrize(
        "question", ["REFUND", "(refund)", "refund?", "“refund”", "What is the refund", "ｒｅｆｕｎｄ"]
    )
    def test_case_width_and_punctuation_do_not_matter(self, index: LexicalIndex, question: str) -> None:
        self.add(index, [record(1, "Refund: after thirty days"), record(2, "no money back")])
        assert self.asked(index, question) == ids(1)

    def test_any_of_the_words_is_enough_and_all_of_them_are_better(self, index: LexicalIndex) -> None:
        self.add(index, [record(1, "card refused"), record(2, "terminal card refused"), record(3, "open at nine")])
        assert self.asked(index, "terminal card") == ids(2, 1)

    @pytest.mark.parametrize("question", ["PAY-042", "what means PAY-042?", "(pay-042),", "Error: PAY-042."])
    def test_a_code_in_a_question_ranks_its_text_before_neighbours(self, index: LexicalIndex, question: str) -> None:
        for n in (41, 42, 43):
            text = f"PAY-0{n}, seen at night: the terminal lost its line."
            self.add(index, [record(n, text, codes=(f"PAY-0{n}",))])
        self.add(index, [record(n, f"we pay {n} people") for n in range(5)])
        assert self.asked(index, question)[0] == ids(42)[0]

    def test_a_code_that_only_the_codes_field_has_is_found(self, index: LexicalIndex) -> None:
        self.add(index, [record(1, "about this device", codes=("AX-204",)), record(2, "about that", codes=("AX-205",))])
        assert self.asked(index, "AX-204")[0] == ids(1)[0]

    @pytest.mark.parametrize("question", ["退款", "退款政策是什么？", "PAY 退款"])
    def test_words_of_a_script_without_spaces_are_found(self, index: LexicalIndex, question: str) -> None:
        """F06: a search for a two-character word finds it."""
        self.add(index, [record(1, "客户可以在三十天内申请退款，之后不可以。"), record(2, "商店每天九点开门。")])
        self.add(index, [record(3, "款款深情", heading=("退",))])
        assert self.asked(index, question)[0] == ids(1)[0]

    def test_a_single_character_of_such_a_script_is_found_wherever_it_stands(self, index: LexicalIndex) -> None:
        self.add(index, [record(1, "申请退款，之后"), record(2, "款式"), record(3, "猫"), record(4, "九点开门")])
        assert set(self.asked(index, "款")) == set(ids(1, 2))
        assert self.asked(index, "猫") == ids(3)

    def test_headings_in_a_script_without_spaces_are_found(self, index: LexicalIndex) -> None:
        self.add(index, [record(1, "thirty days", heading=("返品について",)), record(2, "ここに何もない")])
        assert self.asked(index, "返品") == ids(1)

    def test_words_beyond_the_longest_token_do_not_hinder_a_record(self, index: LexicalIndex) -> None:
        huge = "x" * 70_000
        assert self.add(index, [record(1, f"refund {huge} window", heading=(huge,))]) == {}
        assert self.asked(index, "refund window") == ids(1)

    def test_a_chain_without_end_does_not_hinder_a_record(self, index: LexicalIndex) -> None:
        """A regular expression that recurses on each part would take the whole server down."""
        chain = ".".join("ab" * 20_000)
        assert self.add(index, [record(1, f"refund {chain} window", codes=(chain[:9_000],))]) == {}
        assert self.asked(index, "refund window") == ids(1)
        assert self.asked(index, chain) in ([], ids(1))

    def test_metadata_of_any_shape_is_taken_and_changes_nothing_for_others(self, index: LexicalIndex) -> None:
        """F26: keys of front matter can neither extend nor overwrite what the index is made of."""
        words = ["published=2024-01-05", "published=TBD", "version=1", "version={'a': 1}", "a=1", "a.b=2", "acl=x"]
        words += ["allow=public", "text=refund", "record=1", "", "=", "no key", "k=" + "v" * 20_000]
        words += [f"key{n}=value" for n in range(1_500)]
        self.add(index, [record(n, "plain", metadata=(word,)) for n, word in enumerate(words[:14])])
        assert self.add(index, [record(90, metadata=tuple(words))]) == {}
        assert self.add(index, [record(91, metadata=tuple(reversed(words)), allow=[])]) == {}
        assert self.asked(index, "refund window") == ids(90)
        hits = index.search("plain", caller=READER, filters={"a.b": frozenset({"2"})}, limit=10)
        assert [hit.id for hit in hits] == ids(5)
