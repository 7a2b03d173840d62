"""The contract of `ingest.ports.LexicalIndex`: ranking, codes, headings."""

from collections.abc import Mapping, Sequence

import pytest

from ingest.model.principal import Principal
from ingest.model.record import Filters, Record, RecordId
from ingest.ports import LexicalIndex
from tests.contract.index import IndexContract
from tests.contract.lexical_questions import QuestionContract
from tests.contract.records import NO_FILTER, QUESTION, READER, access, ids, principals, record, record_id


class LexicalIndexContract(IndexContract[LexicalIndex], QuestionContract):
    """Cases for lexical indexes, with those of every index."""

    def add(self, index: LexicalIndex, records: Sequence[Record], *, findable: bool = True) -> Mapping[RecordId, str]:
        return index.add(records, findable=findable)

    def found(
        self,
        index: LexicalIndex,
        *,
        caller: frozenset[Principal] = READER,
        filters: Filters = NO_FILTER,
        limit: int = 10,
    ) -> list[RecordId]:
        return [hit.id for hit in index.search(QUESTION, caller=caller, filters=filters, limit=limit)]

    def test_a_rare_word_counts_more_than_a_common_one(self, index: LexicalIndex) -> None:
        self.add(index, [record(n, "every parcel travels by lorry") for n in range(20)])
        self.add(index, [record(30, "one zeppelin travels by night"), record(31, "a lorry travels by night")])
        assert self.asked(index, "lorry zeppelin")[0] == record_id(30)

    def test_scores_fall_and_equals_come_by_id(self, index: LexicalIndex) -> None:
        self.add(index, [record(n, "refund " * (n // 3 + 1) + "of the money") for n in (8, 7, 6, 5, 4, 3, 2, 1, 0)])
        hits = index.search("refund", caller=READER, filters=NO_FILTER, limit=20)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert sorted(hits, key=lambda hit: (-hit.score, hit.id)) == list(hits)
        assert {hit.id for hit in hits} == set(ids(*range(9)))
        assert self.asked(index, "refund") == [hit.id for hit in hits[:10]]

    def test_a_word_in_the_heading_counts_more_than_one_in_the_text(self, index: LexicalIndex) -> None:
        self.add(index, [record(1, "warranty and other things", heading=("Shop", "Chapter"))])
        self.add(index, [record(2, "chapter and other things", heading=("Shop", "Warranty"))])
        self.add(index, [record(n, "something else altogether", heading=("Shop",)) for n in range(3, 9)])
        assert self.asked(index, "warranty") == ids(2, 1)

    @pytest.mark.parametrize("code", ["PAY-042", "pay-042", "Pay-042"])
    def test_a_code_finds_the_records_that_carry_it_and_not_its_neighbours(
        self, index: LexicalIndex, code: str
    ) -> None:
        self.add(index, [record(n, f"error number {n}", codes=(f"PAY-0{n}",)) for n in (41, 42, 43)])
        self.add(index, [record(50, "see there", codes=("PAY-041", "PAY-042")), record(51, "PAY-042 without code")])
        assert self.with_codes(index, code) == ids(42, 50)

    def test_more_distinct_codes_come_first(self, index: LexicalIndex) -> None:
        self.add(index, [record(1, codes=("AX-204",)), record(2, codes=("BX-900", "AX-204")), record(3)])
        self.add(index, [record(4, codes=("BX-900",))])
        assert self.with_codes(index, "AX-204", "BX-900", "AX-204", "ZZ-1") == ids(2, 1, 4)
        hits = index.with_codes(["AX-204", "BX-900"], caller=READER, filters=NO_FILTER, limit=1)
        assert [hit.id for hit in hits] == ids(2)

    def test_codes_of_unusual_shape_are_found(self, index: LexicalIndex) -> None:
        codes = ("E_10/4.2", "X'1", 'Q"9', "Ä-7")
        self.add(index, [record(n, codes=(code,)) for n, code in enumerate(codes)])
        assert [self.with_codes(index, code) for code in codes] == [ids(n) for n in range(len(codes))]

    def test_no_codes_find_nothing(self, index: LexicalIndex) -> None:
        self.add(index, [record(1, codes=("AX-204",)), record(2)])
        assert self.with_codes(index) == []
        assert self.with_codes(index, "AX") == []

    def test_codes_are_found_only_by_whom_access_and_filters_admit(self, index: LexicalIndex) -> None:
        self.add(index, [record(1, codes=("AX-204",), allow=["ann"], metadata=("language=en",))])
        self.add(index, [record(2, codes=("AX-204",), allow=["public"], deny=["ann"])])

        def found(*caller: str, filters: Filters = NO_FILTER) -> list[RecordId]:
            hits = index.with_codes(["AX-204"], caller=principals(*caller), filters=filters, limit=10)
            return [hit.id for hit in hits]

        assert (found("ann", "public"), found("bob", "public"), found()) == (ids(1), ids(2), [])
        assert found("ann", filters={"language": frozenset({"en"})}) == ids(1)
        assert found("ann", filters={"language": frozenset({"de"})}) == []

    def test_codes_follow_patches_and_deletes(self, index: LexicalIndex) -> None:
        self.add(index, [record(n, codes=("AX-204",)) for n in (1, 2, 3)])
        index.patch_access({record_id(1): access([])})
        index.delete(ids(2))
        index.refresh()
        assert self.with_codes(index, "AX-204") == ids(3)
