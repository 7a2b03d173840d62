"""Due work and leases: who is taken together, what counts as an attempt, and that a token fences."""

from typing import Any

import pytest

from ingest.catalog import documents, folders, indexing
from ingest.catalog.indexing import BatchSizes, Lease
from ingest.catalog.tables import documents as documents_table
from ingest.catalog.tables import folders as folders_table
from ingest.catalog.tables import indexing as indexing_table
from ingest.model.access import PolicyKind
from tests.contract.catalog_rows import LEASE_S, Catalog


class LeaseCases:
    """Leases of indexing rows, and of looks."""

    def test_a_claim_takes_sixty_four_documents_at_first(self, catalog: Catalog) -> None:
        due = catalog.wanted(70)
        taken = catalog.claim()
        assert [lease.document_id for lease in taken] == due[:64]
        assert not any(lease.alone for lease in taken)
        assert [lease.document_id for lease in catalog.claim()] == due[64:]
        assert catalog.claim() == []

    def test_documents_whose_worker_died_are_taken_by_eight_then_alone(self, catalog: Catalog) -> None:
        due = catalog.wanted(10)
        catalog.claim()
        catalog.pass_time(2 * LEASE_S)
        eight = catalog.claim()
        assert len(eight) == 8
        assert not any(lease.alone for lease in eight)
        catalog.pass_time(2 * LEASE_S)
        # the two that were left have one crash behind them and are longest due, so they go by themselves
        two = catalog.claim()
        assert {lease.document_id for lease in eight + two} == set(due)
        one = catalog.claim()
        assert [lease.alone for lease in one] == [True]
        assert one[0].attempts_alone == 1

    def test_those_that_never_crashed_do_not_wait_with_those_that_did(self, catalog: Catalog) -> None:
        crashed, fresh = catalog.wanted(2)
        catalog.set_indexing(fresh, ready_at=2e10)
        catalog.claim()
        catalog.pass_time(2 * LEASE_S)
        catalog.set_indexing(fresh, ready_at=0.0)
        assert [lease.document_id for lease in catalog.claim()] == [fresh]
        assert [lease.document_id for lease in catalog.claim()] == [crashed]

    def test_a_document_is_held_after_its_attempts_alone(self, catalog: Catalog) -> None:
        (document,) = catalog.wanted(1)
        alone = []
        for _ in range(5):
            alone += [lease.alone for lease in catalog.claim(attempts_alone=3)]
            catalog.pass_time(2 * LEASE_S)
        # only the attempts made alone count: two in company, then three
        assert alone == [False, False, True, True, True]
        assert catalog.indexing(document).held is None
        assert catalog.claim(attempts_alone=3) == []
        assert "died 3 times" in str(catalog.indexing(document).held)
        with catalog.read() as tx:
            assert [held for held, _ in indexing.held(tx, catalog.generation)] == [document]
            assert indexing.due(tx, catalog.generation) == 0

    def test_a_verdict_forgets_the_crashes_before_it(self, catalog: Catalog) -> None:
        (document,) = catalog.wanted(1)
        for _ in range(3):
            leases = catalog.claim()
            catalog.pass_time(2 * LEASE_S)
        with catalog.write() as tx:
            indexing.release(tx, leases)
        row = catalog.indexing(document)
        assert (row.attempts, row.attempts_alone, row.leased) == (0, 0, False)
        assert [lease.alone for lease in catalog.claim()] == [False]

    def test_a_clean_stop_gives_the_attempt_back(self, catalog: Catalog) -> None:
        catalog.wanted(3)
        for _ in range(4):
            leases = catalog.claim()
            assert len(leases) == 3
            with catalog.write() as tx:
                indexing.release(tx, leases)

    def test_a_new_version_ends_a_hold_and_a_backoff(self, catalog: Catalog) -> None:
        held, waiting = catalog.wanted(2)
        leases = {lease.document_id: lease for lease in catalog.claim()}
        with catalog.write() as tx:
            indexing.hold(tx, leases[held], "its text cannot be embedded")
            indexing.back_off(tx, [leases[waiting]], base_s=1_000.0, most_s=1_000.0, jitter=1.0)
        assert catalog.claim() == []
        with catalog.write() as tx:
            indexing.want(tx, held, 2)
            indexing.want(tx, waiting, 2)
        assert sorted((lease.document_id, lease.wanted_version) for lease in catalog.claim()) == [
            (held, 2),
            (waiting, 2),
        ]
        assert catalog.indexing(held).held is None
        assert catalog.indexing(waiting).retries == 0

    def test_a_new_version_leaves_a_lease_alone(self, catalog: Catalog) -> None:
        (document,) = catalog.wanted(1)
        (lease,) = catalog.claim()
        with catalog.write() as tx:
            indexing.want(tx, document, 2)
            assert indexing.held_by(tx, [lease]).keys() == {document}
        assert catalog.claim() == []

    def test_retry_takes_holds_off(self, catalog: Catalog) -> None:
        held, other = catalog.wanted(2)
        with catalog.write() as tx:
            for lease in indexing.claim(tx, catalog.generation, sizes=BatchSizes(), lease_s=LEASE_S, attempts_alone=3):
                indexing.hold(tx, lease, "a reason")
        with catalog.write() as tx:
            assert indexing.retry(tx, [held]) == 1
        assert [lease.document_id for lease in catalog.claim()] == [held]
        with catalog.write() as tx:
            assert indexing.retry(tx) == 1
        assert [lease.document_id for lease in catalog.claim()] == [other]

    @pytest.mark.parametrize(
        ("retries", "wait_s"), [(0, 2.0), (1, 4.0), (2, 8.0), (5, 64.0), (6, 100.0), (20, 100.0), (10_000, 100.0)]
    )
    def test_backoff_doubles_up_to_its_bound(self, catalog: Catalog, retries: int, wait_s: float) -> None:
        assert self.wait_after(catalog, retries=retries, jitter=1.0) == pytest.approx(wait_s, abs=0.5)
        assert self.wait_after(catalog, retries=retries, jitter=0.0) == pytest.approx(wait_s / 2, abs=0.5)

    def wait_after(self, catalog: Catalog, *, retries: int, jitter: float) -> float:
        """How long a document waits after one more transient error."""
        due = catalog.rows(indexing_table)
        document = due[0].document_id if due else catalog.wanted(1)[0]
        catalog.set_indexing(document, ready_at=0.0, retries=retries)
        leases = catalog.claim()
        with catalog.write() as tx:
            indexing.back_off(tx, leases, base_s=2.0, most_s=100.0, jitter=jitter)
        assert catalog.indexing(document).retries == retries + 1
        assert not catalog.indexing(document).leased
        with catalog.read() as tx:
            wait = indexing.next_ready(tx, catalog.generation)
        assert wait is not None
        return wait

    def test_a_lease_is_over_once_its_token_has_moved(self, catalog: Catalog) -> None:
        (document,) = catalog.wanted(1)
        (lost,) = catalog.claim()
        catalog.pass_time(2 * LEASE_S)
        (mine,) = catalog.claim()
        assert mine.token == lost.token + 1
        with catalog.write() as tx:
            assert indexing.held_by(tx, [lost]) == {}
            assert indexing.held_by(tx, [mine]).keys() == {document}

    @pytest.mark.parametrize("act", ["renew", "release", "back_off", "hold", "empty_carried", "set_carried"])
    def test_whoever_lost_a_lease_changes_nothing(self, catalog: Catalog, act: str) -> None:
        (document,) = catalog.wanted(1)
        (lost,) = catalog.claim()
        catalog.pass_time(2 * LEASE_S)
        (mine,) = catalog.claim()
        catalog.set_indexing(document, carried_access="0" * 32)
        before = catalog.indexing(document)
        self.act(catalog, act, lost)
        assert catalog.indexing(document) == before
        self.act(catalog, act, mine)
        assert catalog.indexing(document) != before

    def act(self, catalog: Catalog, act: str, lease: Lease) -> None:
        """Do one thing to a lease."""
        more: dict[str, Any] = {
            "renew": {"lease_s": 9_000.0},
            "release": {},
            "back_off": {"base_s": 1.0, "most_s": 1.0, "jitter": 1.0},
        }
        with catalog.write() as tx:
            if act == "hold":
                indexing.hold(tx, lease, "a reason")
            elif act == "set_carried":
                indexing.set_carried(tx, lease, "1" * 32)
            else:
                getattr(indexing, act)(tx, [lease], **more.get(act, {}))

    def test_a_heartbeat_keeps_a_lease(self, catalog: Catalog) -> None:
        catalog.wanted(1)
        leases = catalog.claim()
        catalog.pass_time(LEASE_S - 5)
        with catalog.write() as tx:
            indexing.renew(tx, leases, LEASE_S)
        catalog.pass_time(LEASE_S - 5)
        assert catalog.claim() == []

    def test_leases_of_a_process_that_died_end_and_count_a_crash(self, catalog: Catalog) -> None:
        (document,) = catalog.wanted(1)
        catalog.claim()
        with catalog.write() as tx:
            assert indexing.end_leases(tx) == 1
            assert indexing.end_leases(tx) == 0
        catalog.claim()
        assert catalog.indexing(document).attempts == 1

    def test_each_generation_has_leases_of_its_own(self, catalog: Catalog) -> None:
        other = catalog.new_generation("building")
        (document,) = catalog.wanted(1)
        with catalog.write() as tx:
            indexing.ensure(tx, [catalog.generation, other], document)
        catalog.set_indexing(document, wanted_version=1, ready_at=0.0)
        catalog.claim()
        with catalog.write() as tx:
            taken = indexing.claim(tx, other, sizes=BatchSizes(), lease_s=LEASE_S, attempts_alone=3)
        assert [(lease.document_id, lease.generation_id) for lease in taken] == [(document, other)]

    def test_published_documents_are_not_due(self, catalog: Catalog) -> None:
        (document,) = catalog.wanted(1)
        catalog.set_indexing(document, published_version=1)
        assert catalog.claim() == []
        with catalog.read() as tx:
            assert indexing.next_ready(tx, catalog.generation) is None

    # access

    def test_access_is_patched_under_a_lease_of_its_own(self, catalog: Catalog) -> None:
        (document,) = catalog.wanted(1)
        catalog.set_indexing(document, published_version=1, carried_access="0" * 32)
        with catalog.write() as tx:
            assert indexing.claim_access(tx, catalog.generation, limit=9, lease_s=LEASE_S) == []
            indexing.make_access_due(tx, catalog.generation, [document])
        with catalog.write() as tx:
            (lease,) = indexing.claim_access(tx, catalog.generation, limit=9, lease_s=LEASE_S)
            assert indexing.claim_access(tx, catalog.generation, limit=9, lease_s=LEASE_S) == []
        assert catalog.indexing(document).carried_access is None
        with catalog.write() as tx:
            indexing.set_carried(tx, lease, "1" * 32)
            assert indexing.access_due(tx, catalog.generation) == 0
        assert catalog.indexing(document).carried_access == "1" * 32

    def test_an_access_patch_without_a_known_result_stays_due(self, catalog: Catalog) -> None:
        (document,) = catalog.wanted(1)
        catalog.set_indexing(document, published_version=1, access_due=True)
        with catalog.write() as tx:
            (lease,) = indexing.claim_access(tx, catalog.generation, limit=9, lease_s=LEASE_S)
            indexing.set_carried(tx, lease, None)
        with catalog.write() as tx:
            assert len(indexing.claim_access(tx, catalog.generation, limit=9, lease_s=LEASE_S)) == 1

    @pytest.mark.parametrize("end", [{"published_version": 1}, {"held": "a reason"}], ids=["published", "held"])
    def test_a_document_that_is_being_indexed_is_patched_afterwards(
        self, catalog: Catalog, end: dict[str, Any]
    ) -> None:
        (document,) = catalog.wanted(1)
        catalog.claim()
        catalog.set_indexing(document, access_due=True)
        assert self.claim_access(catalog) == []
        catalog.pass_time(2 * LEASE_S)
        # the mark of a worker that died is left for the claim of indexing, which counts it
        assert self.claim_access(catalog) == []
        catalog.claim()
        assert catalog.indexing(document).attempts == 1
        catalog.set_indexing(document, ready_at=0.0, **end)
        assert [lease.document_id for lease in self.claim_access(catalog)] == [document]

    def claim_access(self, catalog: Catalog) -> list[Lease]:
        """Lease documents whose access fields are due."""
        with catalog.write() as tx:
            return indexing.claim_access(tx, catalog.generation, limit=9, lease_s=LEASE_S)

    def test_an_attempt_empties_what_is_carried(self, catalog: Catalog) -> None:
        (document,) = catalog.wanted(1)
        catalog.set_indexing(document, carried_access="0" * 32)
        leases = catalog.claim()
        with catalog.write() as tx:
            indexing.empty_carried(tx, leases)
        row = catalog.indexing(document)
        assert row.carried_access is None
        assert row.access_due

    # the sweep

    def test_the_sweep_makes_missing_rows_and_corrects_wanted_versions(self, catalog: Catalog) -> None:
        right, wrong, new, unseen, deleted = (catalog.document(name, content_version=4) for name in "abcde")
        for document in (right, wrong, deleted):
            catalog.set_indexing(document, wanted_version=4, published_version=4, ready_at=0.0)
        catalog.set_indexing(wrong, wanted_version=3)
        catalog.set(documents_table, documents_table.c.id == unseen, content_version=0)
        with catalog.write() as tx:
            tx.execute(indexing_table.delete().where(indexing_table.c.document_id == new))
            documents.end(tx, deleted)
        with catalog.write() as tx:
            assert indexing.sweep(tx, catalog.generation, limit=2) == 2
            assert indexing.sweep(tx, catalog.generation, limit=2) == 1
            assert indexing.sweep(tx, catalog.generation, limit=2) == 0
        wanted = {row.document_id: row.wanted_version for row in catalog.rows(indexing_table)}
        assert wanted == {right: 4, wrong: 4, new: 4, unseen: 0, deleted: 5}
        catalog.set_indexing(wrong, published_version=3)
        assert {lease.document_id for lease in catalog.claim()} == {wrong, new, deleted}

    # looks

    def test_a_look_is_leased_and_fenced(self, catalog: Catalog) -> None:
        document = catalog.document("a", look_ready_at=0.0)
        catalog.document("not due")
        with catalog.write() as tx:
            assert [(row.id, row.look_token) for row in documents.claim_looks(tx, 9, LEASE_S)] == [(document, 1)]
            assert documents.claim_looks(tx, 9, LEASE_S) == []
        catalog.pass_time(2 * LEASE_S)
        with catalog.write() as tx:
            (mine,) = documents.claim_looks(tx, 9, LEASE_S)
            documents.release_look(tx, document, 1, again_in_s=None)
            assert not documents.changed(tx, document, revision=0, token=1, size=1)
        # a claim that finds the lease before it without a verdict counts an attempt
        assert (mine.look_token, mine.look_attempts) == (2, 1)
        assert self.look(catalog, document) == (True, 1, None)
        with catalog.write() as tx:
            assert documents.changed(tx, document, revision=0, token=2, size=1)
            documents.release_look(tx, document, 2, again_in_s=None)
            assert documents.next_look(tx) is None
        assert self.look(catalog, document) == (False, 0, None)

    def test_a_look_stores_nothing_once_the_revision_has_moved(self, catalog: Catalog) -> None:
        document = catalog.document("a", look_ready_at=0.0)
        with catalog.write() as tx:
            documents.claim_looks(tx, 9, LEASE_S)
            documents.set_policy(tx, document, PolicyKind.STATED)
            assert not documents.changed(tx, document, revision=0, token=1, size=1)
            assert documents.changed(tx, document, revision=1, token=1, size=1)
            assert not documents.changed(tx, document, revision=1, token=1, size=1)
            documents.end(tx, document)
            assert not documents.changed(tx, document, revision=3, token=1, size=1)

    def test_a_held_look_waits_for_a_hint_or_a_retry(self, catalog: Catalog) -> None:
        document = catalog.document("a", look_ready_at=0.0)
        with catalog.write() as tx:
            documents.claim_looks(tx, 9, LEASE_S)
            documents.release_look(tx, document, 1, again_in_s=None, held="cannot be read")
            assert documents.claim_looks(tx, 9, LEASE_S) == []
        assert self.look(catalog, document) == (False, 0, "cannot be read")
        with catalog.write() as tx:
            assert documents.retry_looks(tx, None) == 1
            assert len(documents.claim_looks(tx, 9, LEASE_S)) == 1
            documents.release_look(tx, document, 2, again_in_s=None, held="cannot be read")
            documents.hint(tx, document, settle_s=0.0, settle_max_s=5.0, identity=None, new=False)
            assert len(documents.claim_looks(tx, 9, LEASE_S)) == 1
        assert self.look(catalog, document) == (True, 0, None)

    def test_hints_put_a_look_off_and_only_so_far(self, catalog: Catalog) -> None:
        document = catalog.document("a")
        waits = []
        for _ in range(4):
            with catalog.write() as tx:
                documents.hint(tx, document, settle_s=20.0, settle_max_s=50.0, identity=None, new=False)
                waits.append(documents.next_look(tx))
            catalog.pass_time(15.0)
        assert waits == pytest.approx([20.0, 20.0, 20.0, 5.0], abs=1.0)

    def test_a_hint_during_a_look_leaves_its_lease(self, catalog: Catalog) -> None:
        document = catalog.document("a", look_ready_at=0.0)
        with catalog.write() as tx:
            documents.claim_looks(tx, 9, LEASE_S)
            documents.hint(tx, document, settle_s=0.0, settle_max_s=5.0, identity=None, new=False)
            documents.make_due(tx, document)
            assert documents.claim_looks(tx, 9, LEASE_S) == []

    def test_looks_of_a_process_that_died_end(self, catalog: Catalog) -> None:
        catalog.document("a", look_ready_at=0.0)
        catalog.set(folders_table, folders_table.c.id == catalog.root, look_ready_at=0.0)
        with catalog.write() as tx:
            documents.claim_looks(tx, 9, LEASE_S)
            folders.claim_looks(tx, 9, LEASE_S)
            assert (documents.end_looks(tx), folders.end_looks(tx)) == (1, 1)
        with catalog.write() as tx:
            assert [row.look_attempts for row in documents.claim_looks(tx, 9, LEASE_S)] == [1]
            assert len(folders.claim_looks(tx, 9, LEASE_S)) == 1

    def test_a_look_at_a_folder_is_leased_and_fenced(self, catalog: Catalog) -> None:
        with catalog.write() as tx:
            folders.hint(tx, catalog.root, 0.0)
            assert folders.claim_looks(tx, 9, LEASE_S) == [(catalog.root, 1)]
            assert folders.claim_looks(tx, 9, LEASE_S) == []
        catalog.pass_time(2 * LEASE_S)
        with catalog.write() as tx:
            assert folders.claim_looks(tx, 9, LEASE_S) == [(catalog.root, 2)]
            folders.release_look(tx, catalog.root, 1, again_in_s=None)
            assert folders.waiting(tx, catalog.source)
            folders.release_look(tx, catalog.root, 2, again_in_s=None)
            assert not folders.waiting(tx, catalog.source)
            assert folders.next_look(tx) is None

    def test_a_hint_refuses_the_look_at_a_folder_that_is_under_way(self, catalog: Catalog) -> None:
        with catalog.write() as tx:
            before = folders.get(tx, catalog.root).revision
            folders.hint(tx, catalog.root, 0.0)
            assert not folders.changed(tx, catalog.root, before, has_access_file=True)
            # storing moves the revision on, also when nothing differs
            assert folders.changed(tx, catalog.root, before + 1)
            assert not folders.changed(tx, catalog.root, before + 1)

    def look(self, catalog: Catalog, document: int) -> tuple[bool, int, str | None]:
        """(leased, attempts, why held) of a document's look."""
        row = catalog.row(documents_table, id=document)
        assert row is not None
        return row.look_leased, row.look_attempts, row.look_held
