"""Access and metadata filters inside every search, shared by both kinds of index."""

from collections.abc import Iterable

import pytest

from tests.contract.index_case import IndexCase, IndexT
from tests.contract.records import FAR, access, ids, principals, record, record_id

ALLOWED = ("+support", "ann", "public")


class AccessFilterContract(IndexCase[IndexT]):
    """A caller passes when one of its principals is allowed and none is denied."""

    @pytest.mark.parametrize(
        ("allow", "deny", "caller"),
        [
            (ALLOWED, (), ("ann",)),
            (ALLOWED, (), ("+support",)),
            (ALLOWED, (), ("public",)),
            (ALLOWED, (), ("bob", "+sales")),
            (ALLOWED, ("ann",), ("ann", "+support")),
            (ALLOWED, ("+support",), ("ann", "+support")),
            (ALLOWED, ("+support",), ("ann",)),
            (ALLOWED, ("public",), ("ann", "public")),
            (("ann",), (), ("anna", "an", "ANN")),
            ((), (), ("ann", "public", "+support")),
            ((), ("ann",), ("ann",)),
            (ALLOWED, (), ()),
        ],
    )
    def test_search_admits_whom_the_access_fields_admit(
        self, index: IndexT, allow: Iterable[str], deny: Iterable[str], caller: Iterable[str]
    ) -> None:
        self.add(index, [record(1, allow=allow, deny=deny)])
        asking = principals(*caller)
        assert self.found(index, caller=asking) == (ids(1) if access(allow, deny).admits(asking) else [])

    def test_records_with_equal_access_stay_apart_when_one_is_patched(self, index: IndexT) -> None:
        self.add(index, [record(n, allow=["+support"]) for n in (1, 2, 3)])
        index.patch_access({record_id(2): access(["+sales"])})
        index.refresh()
        assert self.found(index, caller=principals("+support")) == ids(1, 3)
        assert self.found(index, caller=principals("+sales")) == ids(2)

    def test_a_caller_with_many_principals_is_answered(self, index: IndexT) -> None:
        self.add(index, [record(1, allow=["+g1999"]), record(2, allow=["+other"])])
        caller = principals(*(f"+g{n}" for n in range(2000)))
        assert self.found(index, caller=caller) == ids(1)

    def test_every_filtered_key_must_have_one_of_its_values(self, index: IndexT) -> None:
        both, neither = ("category=returns", "language=en"), ("category=shipping",)
        self.add(index, [record(1, metadata=both), record(2, metadata=("category=returns",))])
        self.add(index, [record(3, metadata=neither), record(4)])
        returns = frozenset({"returns"})
        assert self.found(index, filters={"category": returns}) == ids(1, 2)
        assert self.found(index, filters={"category": returns | {"shipping"}}) == ids(1, 2, 3)
        assert self.found(index, filters={"category": returns, "language": frozenset({"en", "de"})}) == ids(1)
        assert self.found(index, filters={"category": returns, "language": frozenset({"de"})}) == []
        assert self.found(index, filters={"category": frozenset()}) == []
        assert self.found(index, filters={"unknown": returns}) == []

    def test_a_filtered_value_is_compared_whole(self, index: IndexT) -> None:
        self.add(index, [record(1, metadata=("a=b=c", "Team=Érable 7")), record(2, metadata=("a=b", "team=érable"))])
        assert self.found(index, filters={"a": frozenset({"b=c"})}) == ids(1)
        assert self.found(index, filters={"a": frozenset({"b"})}) == ids(2)
        assert self.found(index, filters={"Team": frozenset({"Érable 7"})}) == ids(1)

    def test_forbidden_records_take_no_place_among_the_best(self, index: IndexT) -> None:
        """F36: a crowd nearer to the question that another group reads does not push out the few of this one."""
        self.add(index, [record(n, allow=["+x"]) for n in range(self.crowd)])
        self.add(index, [record(self.crowd + n, FAR, allow=["+y"]) for n in range(50)])
        mine = range(self.crowd, self.crowd + 50)
        assert self.found(index, caller=principals("+y"), limit=10) == ids(*mine[:10])
        assert self.found(index, caller=principals("+y"), limit=100) == ids(*mine)
        self.add(index, [record(self.crowd + 100, FAR, allow=["+single"])])
        assert self.found(index, caller=principals("+single"), limit=10) == ids(self.crowd + 100)
