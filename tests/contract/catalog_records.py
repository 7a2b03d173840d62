"""Records from staged to gone, epochs and horizon, and what is forgotten after a while."""

import numpy as np
import pytest

from ingest.catalog import embeddings, generations, inbox, indexing, marks, records, retention
from ingest.catalog.tables import documents as documents_table
from ingest.catalog.tables import embeddings as embeddings_table
from ingest.catalog.tables import epoch_samples, tombstones
from ingest.catalog.tables import generations as generations_table
from ingest.catalog.tables import inbox as inbox_table
from ingest.catalog.tables import records as records_table
from ingest.model.chunk import InputHash
from ingest.model.record import RecordId
from tests.contract.catalog_rows import FINGERPRINT, Catalog

_DAY_S = 86_400.0
_VECTOR = np.array([1.0, 0.0], dtype=np.float32)


class RecordCases:
    """records, generations, retention, embeddings, marks."""

    # staged, open, closed

    def test_staged_records_are_counted_by_document(self, catalog: Catalog) -> None:
        a, b = catalog.document("a"), catalog.document("b")
        staged = [catalog.record(a, from_epoch=None), catalog.record(a, from_epoch=None)]
        staged += [catalog.record(b, from_epoch=None)]
        not_staged = [catalog.record(a), catalog.record(b, from_epoch=None, condemned_at=1.0)]
        with catalog.write() as tx:
            assert records.lock_staged(tx, staged + not_staged) == {a: 2, b: 1}
            assert records.lock_staged(tx, []) == {}

    def test_opening_takes_only_what_is_staged_and_not_condemned(self, catalog: Catalog) -> None:
        document = catalog.document("a")
        staged = catalog.record(document, from_epoch=None)
        condemned = catalog.record(document, from_epoch=None, condemned_at=1.0)
        opened = catalog.record(document, from_epoch=3)
        with catalog.write() as tx:
            records.open_all(tx, [staged, condemned, opened], 9)
            found = records.known(tx, [staged, condemned, opened])
        assert [found[i].from_epoch for i in (staged, condemned, opened)] == [9, None, 3]

    def test_a_record_is_closed_once(self, catalog: Catalog) -> None:
        record = catalog.record(catalog.document("a"))
        with catalog.write() as tx:
            records.close_all(tx, [(record, 4)], 2)
            records.close_all(tx, [(record, 8)], 3)
        row = catalog.row(records_table, id=record)
        assert row is not None
        assert (row.to_epoch, row.stale_since) == (2, 4)

    def test_a_new_attempt_condemns_what_the_one_before_left_staged(self, catalog: Catalog) -> None:
        a, b = catalog.document("a"), catalog.document("b")
        left, opened, other = catalog.record(a, from_epoch=None), catalog.record(a), catalog.record(b, from_epoch=None)
        with catalog.write() as tx:
            records.condemn_staged(tx, catalog.generation, [a])
        assert self.condemned(catalog) == {left}
        assert {opened, other}.isdisjoint(self.condemned(catalog))

    def test_open_records_come_in_document_order(self, catalog: Catalog) -> None:
        document = catalog.document("a")
        # bytes compare alike on both databases: upper case before lower case, whatever the locale
        made = {key: catalog.record(document, order_key=key) for key in ("a", "B", "a0", "Z", "_")}
        catalog.record(document, from_epoch=None)
        catalog.record(document, to_epoch=5)
        with catalog.write() as tx:
            found = records.open_of(tx, catalog.generation, [document])[document]
            records.reorder(tx, [(made["a"], "zz")])
            again = records.open_of(tx, catalog.generation, [document])[document]
        assert [r.order_key for r in found] == ["B", "Z", "_", "a", "a0"]
        assert again[-1].id == made["a"]

    def test_open_and_staged_records_carry_access(self, catalog: Catalog) -> None:
        document = catalog.document("a")
        carrying = {catalog.record(document), catalog.record(document, from_epoch=None)}
        catalog.record(document, to_epoch=5)
        catalog.record(document, from_epoch=None, condemned_at=1.0)
        with catalog.read() as tx:
            assert set(records.carrying(tx, catalog.generation, [document])[document]) == carrying

    def test_both_stores_must_hold_what_is_open_and_not_lost(self, catalog: Catalog) -> None:
        document = catalog.document("a")
        opened = sorted(catalog.record(document) for _ in range(5))
        catalog.record(document, from_epoch=None)
        catalog.record(document, to_epoch=4)
        pages: list[RecordId] = []
        with catalog.write() as tx:
            records.mark_lost(tx, opened[:1])
            while page := records.open_page(tx, catalog.generation, pages[-1] if pages else None, 2):
                pages += [record for record, _ in page]
        assert pages == opened[1:]

    # condemned, deleted, gone

    def test_records_are_condemned_at_the_horizon_deleted_twice_and_dropped(self, catalog: Catalog) -> None:
        document = catalog.document("a")
        closed = {epoch: catalog.record(document, to_epoch=epoch) for epoch in (2, 3, 4)}
        opened = catalog.record(document)
        with catalog.write() as tx:
            assert records.condemn_closed(tx, catalog.generation, 3, 10) == 2
            assert records.condemn_closed(tx, catalog.generation, 3, 10) == 0
        assert self.condemned(catalog) == {closed[2], closed[3]}
        with catalog.write() as tx:
            gone = records.to_delete(tx, catalog.generation, 10)
            assert set(gone) == {closed[2], closed[3]}
            assert records.to_delete_again(tx, catalog.generation, 0.0, 10) == []
            records.deleted_once(tx, gone)
        catalog.pass_time(_DAY_S - 60)
        with catalog.write() as tx:
            assert records.to_delete(tx, catalog.generation, 10) == []
            assert records.to_delete_again(tx, catalog.generation, _DAY_S, 10) == []
        catalog.pass_time(120)
        with catalog.write() as tx:
            again = records.to_delete_again(tx, catalog.generation, _DAY_S, 10)
            assert set(again) == set(gone)
            records.drop(tx, [*again, opened])
        assert {row.id for row in catalog.rows(records_table)} == {closed[4], opened}

    def test_the_longest_closed_are_condemned_first(self, catalog: Catalog) -> None:
        document = catalog.document("a")
        closed = {epoch: catalog.record(document, to_epoch=epoch) for epoch in (5, 2, 4, 3)}
        with catalog.write() as tx:
            assert records.condemn_closed(tx, catalog.generation, 9, 2) == 2
        assert self.condemned(catalog) == {closed[2], closed[3]}

    def test_counts_tell_open_staged_and_leaving(self, catalog: Catalog) -> None:
        document = catalog.document("a")
        for values in ({}, {}, {"from_epoch": None}, {"to_epoch": 3}, {"from_epoch": None, "condemned_at": 1.0}):
            catalog.record(document, **values)
        with catalog.read() as tx:
            assert records.counts(tx, catalog.generation) == {"open": 2, "staged": 1, "leaving": 2}

    # epochs

    def test_the_horizon_follows_the_samples_after_the_grace(self, catalog: Catalog) -> None:
        self.publish(catalog, 5)
        assert self.sample(catalog) == 0
        catalog.pass_time(50)
        self.publish(catalog, 7)
        assert self.sample(catalog) == 0
        catalog.pass_time(20)
        # epoch 5 was the newest 70 s ago: whoever began before has had the grace
        assert self.sample(catalog) == 5
        catalog.pass_time(50)
        assert self.sample(catalog) == 7
        assert [row.epoch for row in catalog.rows(epoch_samples)] == [7]

    def test_an_epoch_is_sampled_when_it_is_first_seen(self, catalog: Catalog) -> None:
        self.publish(catalog, 5)
        self.sample(catalog)
        catalog.pass_time(40)
        self.sample(catalog)
        catalog.pass_time(40)
        assert self.sample(catalog) == 5
        catalog.pass_time(4_000)
        assert self.sample(catalog) == 5

    def test_the_horizon_never_goes_back(self, catalog: Catalog) -> None:
        catalog.set(generations_table, generations_table.c.id == catalog.generation, horizon=9)
        self.publish(catalog, 5)
        self.sample(catalog)
        catalog.pass_time(100)
        assert self.sample(catalog) == 9

    def test_a_paused_generation_publishes_nothing(self, catalog: Catalog) -> None:
        with catalog.write() as tx:
            assert generations.lock_for_publish(tx, catalog.generation) == 1
        catalog.set(generations_table, generations_table.c.id == catalog.generation, publishing_paused_until=4e9)
        with catalog.write() as tx:
            assert generations.lock_for_publish(tx, catalog.generation) is None
        catalog.pass_time(4e9)
        with catalog.write() as tx:
            assert generations.lock_for_publish(tx, catalog.generation) == 1

    def test_live_changes_reach_all_generations_but_retired_ones(self, catalog: Catalog) -> None:
        others = {state: catalog.new_generation(state) for state in ("building", "ready", "soaking", "retired")}
        with catalog.read() as tx:
            found = generations.active(tx)
            assert found is not None
            assert (found.id, found.epoch, found.fingerprint) == (catalog.generation, 1, FINGERPRINT)
            maintained = [catalog.generation, *(i for state, i in others.items() if state != "retired")]
            assert [generation.id for generation in generations.maintained(tx)] == maintained

    # retention

    def test_an_event_is_kept_until_its_version_is_published_everywhere(self, catalog: Catalog) -> None:
        building = catalog.new_generation("building")
        document = catalog.document("a")
        with catalog.write() as tx:
            indexing.ensure(tx, [building], document)
            inbox.add(tx, source_id=catalog.source, event_id="e", body={}, clock=0, document_id=document)
            inbox.end_all(tx, document, version=2, outcome="changed")
        catalog.pass_time(_DAY_S)
        published = [(1, 1), (2, 1), (2, 2)]
        dropped = []
        for here, there in published:
            with catalog.write() as tx:
                for generation, version in ((catalog.generation, here), (building, there)):
                    row = {"generation": generation, "document": document, "version": version}
                    indexing.set_published(tx, [row | {"behind": None, "carried": None, "access_due": False}])
                dropped.append(retention.drop_inbox(tx, _DAY_S / 2))
        assert dropped == [0, 0, 1]

    def test_events_that_wait_or_are_young_are_kept(self, catalog: Catalog) -> None:
        document = catalog.document("a")
        with catalog.write() as tx:
            inbox.add(tx, source_id=catalog.source, event_id="done", body={}, clock=0, folder_id=catalog.root)
            inbox.lease_folder(tx, catalog.root, 1)
            inbox.complete_folder(tx, catalog.root, 1, outcome="same")
            inbox.add(tx, source_id=catalog.source, event_id="waits", body={}, clock=0, document_id=document)
        catalog.pass_time(_DAY_S)
        with catalog.write() as tx:
            inbox.add(tx, source_id=catalog.source, event_id="young", body={}, clock=0, folder_id=catalog.root)
            inbox.lease_folder(tx, catalog.root, 2)
            inbox.complete_folder(tx, catalog.root, 2, outcome="same")
        with catalog.write() as tx:
            assert retention.drop_inbox(tx, _DAY_S / 2) == 1
        assert {row.event_id for row in catalog.rows(inbox_table)} == {"waits", "young"}

    def test_a_deleted_document_goes_with_its_last_record(self, catalog: Catalog) -> None:
        document = catalog.document("a", deleted_at=1.0)
        alive = catalog.document("b")
        record = catalog.record(document, to_epoch=2)
        with catalog.write() as tx:
            tx.execute(tombstones.insert().values(source_id=catalog.source, old_key="old", document_id=document))
            inbox.add(tx, source_id=catalog.source, event_id="e", body={}, clock=0, document_id=document)
        kept = []
        with catalog.write() as tx:
            inbox.end_all(tx, document, version=2, outcome="deleted")
            kept.append(retention.drop_documents(tx, _DAY_S))
            tx.execute(records_table.delete().where(records_table.c.id == record))
            # what is older than a moment that has not come yet
            kept.append(retention.drop_documents(tx, 4e9))
            kept.append(retention.drop_documents(tx, _DAY_S))
        assert kept == [0, 0, 1]
        assert [row.id for row in catalog.rows(documents_table)] == [alive]
        assert catalog.rows(inbox_table) == []
        # a late narrowing by the old key still finds what it meant
        assert len(catalog.rows(tombstones)) == 1

    def test_a_deleted_document_is_kept_while_an_event_waits(self, catalog: Catalog) -> None:
        document = catalog.document("a", deleted_at=1.0)
        with catalog.write() as tx:
            inbox.add(tx, source_id=catalog.source, event_id="e", body={}, clock=0, document_id=document)
            assert retention.drop_documents(tx, _DAY_S) == 0

    @pytest.mark.parametrize("state", ["building", "ready", "active", "soaking"])
    def test_vectors_in_use_are_never_dropped(self, catalog: Catalog, state: str) -> None:
        generation = catalog.generation if state == "active" else catalog.new_generation(state, "model-b")
        fingerprint = FINGERPRINT if state == "active" else "model-b"
        used, unused = InputHash("used"), InputHash("unused")
        document = catalog.document("a")
        # staged and closed records use their vectors too
        catalog.record(document, generation_id=generation, input_hash=used, from_epoch=None)
        with catalog.write() as tx:
            embeddings.store(tx, fingerprint, {used: _VECTOR, unused: _VECTOR})
            embeddings.store(tx, "model-c", {used: _VECTOR})
        with catalog.write() as tx:
            assert embeddings.drop_unused(tx, _DAY_S, 10) == 0
        catalog.pass_time(2 * _DAY_S)
        with catalog.write() as tx:
            assert embeddings.drop_unused(tx, _DAY_S, 10) == 2
        assert [(row.fingerprint, row.input_hash) for row in catalog.rows(embeddings_table)] == [(fingerprint, used)]

    def test_a_vector_stored_again_is_young_again(self, catalog: Catalog) -> None:
        with catalog.write() as tx:
            embeddings.store(tx, FINGERPRINT, {InputHash("h"): _VECTOR})
        catalog.pass_time(2 * _DAY_S)
        with catalog.write() as tx:
            embeddings.store(tx, FINGERPRINT, {InputHash("h"): _VECTOR + 1})
            assert embeddings.drop_unused(tx, _DAY_S, 10) == 0
            assert embeddings.missing(tx, FINGERPRINT, [InputHash("h"), InputHash("g")]) == {"g"}
            (found,) = embeddings.load(tx, FINGERPRINT, [InputHash("h"), InputHash("g")]).values()
        # one that is there already is left as it is
        assert found.tolist() == _VECTOR.tolist()

    def test_forgetting_spares_vectors_that_records_share(self, catalog: Catalog) -> None:
        catalog.record(catalog.document("a"), input_hash="shared")
        with catalog.write() as tx:
            embeddings.store(tx, FINGERPRINT, {InputHash("shared"): _VECTOR, InputHash("alone"): _VECTOR})
            embeddings.forget(tx, [InputHash("shared"), InputHash("alone")])
        assert [row.input_hash for row in catalog.rows(embeddings_table)] == ["shared"]

    # marks

    def test_a_mark_is_put_read_and_cleared(self, catalog: Catalog) -> None:
        with catalog.write() as tx:
            assert marks.get(tx, marks.RUNNING) is None
            marks.put(tx, marks.RUNNING, "1")
            marks.put(tx, marks.RUNNING, "2")
            assert marks.get(tx, marks.RUNNING) == "2"
            marks.clear(tx, marks.RUNNING)
            assert marks.get(tx, marks.RUNNING) is None

    def test_a_mark_counts_from_one(self, catalog: Catalog) -> None:
        with catalog.write() as tx:
            assert not marks.is_at(tx, "copies", 0)
            assert [marks.count_up(tx, "copies") for _ in range(3)] == [1, 2, 3]
            assert marks.is_at(tx, "copies", 3)
            assert not marks.is_at(tx, "copies", 2)

    def condemned(self, catalog: Catalog) -> set[str]:
        """Condemned records."""
        return {row.id for row in catalog.rows(records_table) if row.condemned_at is not None}

    def publish(self, catalog: Catalog, epoch: int) -> None:
        """As if `epoch` had been published."""
        with catalog.write() as tx:
            generations.set_epoch(tx, catalog.generation, epoch)

    def sample(self, catalog: Catalog) -> int:
        """What vacuum does first, with a grace of a minute; returns the horizon."""
        with catalog.write() as tx:
            generations.sample_epoch(tx, catalog.generation)
            return generations.raise_horizon(tx, catalog.generation, 60.0)
