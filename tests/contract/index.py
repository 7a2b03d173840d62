"""The contract of `ingest.ports.Index`: what is stored, what is found, what is patched and what is gone."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from ingest.errors import GenerationGone
from ingest.model.record import RecordId, StoredRecord
from tests.contract.index_access import AccessFilterContract
from tests.contract.index_case import IndexT
from tests.contract.records import FAR, NEAR, access, ids, principals, record, record_id


class IndexContract(AccessFilterContract[IndexT]):
    """Cases for both kinds of index."""

    def test_a_record_is_found_once_refresh_has_returned(self, index: IndexT) -> None:
        self.add(index, [record(1)], findable=False)
        index.refresh()
        assert self.found(index) == ids(1)

    def test_a_record_added_findable_is_found_at_once(self, index: IndexT) -> None:
        assert self.add(index, [record(1)], findable=True) == {}
        assert self.found(index) == ids(1)

    def test_a_record_sent_again_as_findable_is_found(self, index: IndexT) -> None:
        """After an ambiguous answer the same records are sent again: present is not yet findable."""
        self.add(index, [record(1)], findable=False)
        self.add(index, [record(1)], findable=True)
        assert self.found(index) == ids(1)

    def test_what_is_there_stays_as_it_is_when_its_id_is_added_again(self, index: IndexT) -> None:
        self.add(index, [record(1, NEAR, allow=["ann"]), record(2, FAR)])
        assert self.add(index, [record(1, FAR, allow=["bob"]), record(3)]) == {}
        assert self.found(index, caller=principals("ann", "public")) == ids(1, 3, 2)
        assert self.found(index, caller=principals("bob")) == []

    def test_adding_nothing_is_no_error(self, index: IndexT) -> None:
        assert self.add(index, []) == {}

    def test_the_best_come_first_and_equals_by_id(self, index: IndexT) -> None:
        self.add(index, [record(n, FAR if n % 2 else NEAR) for n in (5, 4, 3, 2, 1, 0)])
        assert self.found(index) == ids(0, 2, 4, 1, 3, 5)
        assert self.found(index, limit=4) == ids(0, 2, 4, 1)

    def test_a_patch_reaches_the_records_that_are_there_and_names_the_others(self, index: IndexT) -> None:
        self.add(index, [record(n, allow=["ann"]) for n in (1, 2, 3)])
        changes = {record_id(n): access(["bob"], ["+support"]) for n in (1, 7, 3, 8)}
        assert set(index.patch_access(changes)) == set(ids(7, 8))
        index.refresh()
        assert self.found(index, caller=principals("bob")) == ids(1, 3)
        assert self.found(index, caller=principals("bob", "+support")) == []
        assert self.found(index, caller=principals("ann")) == ids(2)

    def test_a_patch_makes_no_record(self, index: IndexT) -> None:
        assert list(index.patch_access({record_id(1): access()})) == ids(1)
        index.refresh()
        assert self.found(index) == []
        assert index.fetch(ids(1)) == {}

    def test_patching_nothing_is_no_error(self, index: IndexT) -> None:
        assert list(index.patch_access({})) == []

    def test_deleted_records_are_never_found(self, index: IndexT) -> None:
        self.add(index, [record(n) for n in (1, 2, 3)])
        index.delete(ids(1, 3))
        index.refresh()
        assert self.found(index) == ids(2)
        assert index.fetch(ids(1, 2, 3)).keys() == {record_id(2)}

    def test_deleting_what_is_gone_is_no_error(self, index: IndexT) -> None:
        self.add(index, [record(1), record(2)])
        index.delete(ids(1))
        index.delete(ids(1, 2, 99))
        index.refresh()
        assert self.found(index) == []

    def test_deleting_nothing_is_refused(self, index: IndexT) -> None:
        """F23: an empty selector must not mean everything."""
        self.add(index, [record(1)])
        with pytest.raises(ValueError, match="no ids"):
            index.delete([])
        assert self.found(index) == ids(1)

    def test_ids_come_in_ascending_pages_findable_or_not(self, index: IndexT) -> None:
        self.add(index, [record(n, allow=["ann"], deny=["bob"]) for n in (9, 2, 7)])
        self.add(index, [record(n, allow=[]) for n in (1, 8)], findable=False)
        index.patch_access({record_id(7): access(["+new"])})
        index.delete(ids(2))
        pages, after = list[StoredRecord](), None
        while page := index.ids(after=after, limit=2):
            assert len(page) <= 2
            pages, after = [*pages, *page], page[-1].id
        stated, patched, nobody = access(["ann"], ["bob"]), access(["+new"]), access([])
        expected = {1: nobody, 7: patched, 8: nobody, 9: stated}
        assert pages == [StoredRecord(record_id(n), fields) for n, fields in expected.items()]

    def test_a_page_of_ids_is_full_unless_it_is_the_last(self, index: IndexT) -> None:
        self.add(index, [record(n) for n in range(25)])
        assert [stored.id for stored in index.ids(after=record_id(4), limit=15)] == ids(*range(5, 20))
        assert [stored.id for stored in index.ids(after=record_id(19), limit=15)] == ids(*range(20, 25))
        assert list(index.ids(after=record_id(24), limit=15)) == []

    def test_fetch_tells_what_is_stored_findable_or_not(self, index: IndexT) -> None:
        self.add(index, [record(1, allow=["ann"], deny=["+x", "bob"])], findable=False)
        assert index.fetch(ids(1, 2)) == {record_id(1): StoredRecord(record_id(1), access(["ann"], ["+x", "bob"]))}
        assert index.fetch([]) == {}

    def test_creating_what_is_there_changes_nothing(self, index: IndexT) -> None:
        self.add(index, [record(1)])
        index.create()
        assert self.found(index) == ids(1)

    def test_a_dropped_index_says_that_the_generation_is_gone(self, index: IndexT) -> None:
        self.add(index, [record(1)])
        index.drop()
        index.drop()
        with pytest.raises(GenerationGone):
            self.add(index, [record(2)])
        with pytest.raises(GenerationGone):
            self.found(index)
        index.create()
        assert self.found(index) == []

    def test_flushing_and_compacting_keep_what_is_stored(self, index: IndexT) -> None:
        self.add(index, [record(n) for n in range(20)])
        index.delete(ids(*range(10)))
        index.flush()
        assert index.compact() in {True, False}
        index.refresh()
        assert self.found(index, limit=20) == ids(*range(10, 20))

    def test_several_threads_write_and_read_at_once(self, index: IndexT) -> None:
        def work(worker: int) -> list[RecordId]:
            mine = range(worker * 100, worker * 100 + 20)
            caller = principals(f"w{worker}")
            for n in mine:
                self.add(index, [record(n, allow=[f"w{worker}"])], findable=n == mine[-1])
            index.delete(ids(mine[0]))
            index.patch_access({record_id(mine[1]): access([])})
            index.refresh()
            return self.found(index, caller=caller, limit=50)

        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(work, range(4)))
        assert answers == [ids(*range(w * 100 + 2, w * 100 + 20)) for w in range(4)]
