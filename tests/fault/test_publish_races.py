"""DESIGN §10: staging and publishing."""

from collections.abc import Mapping, Sequence

import pytest

from ingest.adapters.memory.lexical_index import MemoryLexicalIndex
from ingest.model.principal import Principal
from ingest.model.record import Record, RecordId
from tests.fault import guards_publishing as publishing
from tests.fault import guards_reading as reading
from tests.fault.rig import guarded_by
from tests.world import ANN, BOB, PUBLIC, World
from tests.world.threads import Died, die, once_at

BOTH = {"lexical", "vector"}


def found(world: World, *caller: Principal) -> list[tuple[str, set[str]]]:
    """What a caller is given, with the stores that found it."""
    return [(hit.text, {leg.name for leg in hit.legs}) for hit in world.ask("apples", *caller).hits]


@guarded_by(publishing.waiting_until_stores_find_records, harm="a hole")
def test_nothing_is_visible_before_both_stores_can_find_it(world: World) -> None:
    world.state("", PUBLIC)
    world.write("a.md", "apples are red")
    world.drain()
    world.lexical.refresh()
    world.vector.refresh()
    world.write("a.md", "apples are green")
    world.look()
    with world.pause_at("publish.before_lock") as paused:
        worker = world.start_worker(world.index_batch)
        paused.wait()
        assert world.visible_text("a.md") == "apples are red"
        paused.release()
        worker.result()
    assert found(world) == [("apples are green", BOTH)], "a hole"


def test_one_store_that_fails_leaves_the_published_state_whole(world: World) -> None:
    world.state("", PUBLIC)
    world.write("a.md", "apples are red")
    world.drain()
    world.write("a.md", "apples are green")
    world.look()
    world.vector.faults.fail_next("add")
    assert world.index().failed == 1
    assert world.visible_text("a.md") == "apples are red"
    world.age(10)
    world.drain()
    assert world.visible_text("a.md") == "apples are green"


@guarded_by(publishing.comparing_tokens, harm="an older version over a newer one")
def test_a_worker_that_lost_its_lease_publishes_nothing(world: World) -> None:
    world.state("", PUBLIC)
    world.write("a.md", "one\n\ntwo")
    world.drain()
    world.write("a.md", "one")  # only closes a record: nothing staged that the next attempt could condemn
    world.look()
    with world.pause_at("publish.before_lock") as paused:
        slow = world.start_worker(world.index_batch)
        paused.wait()
        world.write("a.md", "one\n\ntwo\n\nthree")
        world.look()
        world.expire_leases()
        world.index()
        assert world.visible_text("a.md") == "one\n\ntwo\n\nthree"
        paused.release()
        slow.wait()
    assert world.visible_text("a.md") == "one\n\ntwo\n\nthree", "an older version over a newer one"
    assert slow.result().documents == 0


@guarded_by(publishing.locking_the_generation, harm="two states under one epoch")
def test_epochs_are_published_in_order(postgres_world: World) -> None:
    world = postgres_world
    world.state("", PUBLIC)
    world.write("a.md", "apples")
    world.look()
    with world.pause_at("publish.before_commit") as paused:
        first = world.start_worker(world.index_batch, "first")
        paused.wait()
        world.write("b.md", "pears")
        world.look()
        second = world.start_worker(world.index_batch, "second")
        world.until_blocked(second)
        paused.release()
        epochs = (first.result().epoch, second.result().epoch)
    assert epochs == (1, 2), "two states under one epoch"


@guarded_by(reading.asking_whether_the_document_is_deleted, harm="after its delete was acknowledged")
def test_what_is_deleted_while_it_is_indexed_is_never_shown(world: World) -> None:
    world.state("", PUBLIC)
    world.write("a.md", "apples")
    world.look()
    with world.pause_at("publish.before_lock") as paused:
        worker = world.start_worker(world.index_batch)
        paused.wait()
        world.delete("a.md")
        paused.release()
        worker.result()
    assert world.ask("apples").hits == (), "after its delete was acknowledged"
    world.drain()
    assert world.ask("apples").hits == ()
    assert not any(row.to_epoch is None for row in world.record_rows())


@guarded_by(reading.asking_for_policies, harm="by the access of before")
def test_what_moves_under_a_restricted_folder_while_it_is_indexed_is_never_shown_to_others(world: World) -> None:
    world.state("open", PUBLIC)
    world.state("closed", ANN)
    world.write("open/a.md", "apples")
    world.look()
    with world.pause_at("publish.before_lock") as paused:
        worker = world.start_worker(world.index_batch)
        paused.wait()
        world.move("open/a.md", "closed/a.md")
        world.look()
        paused.release()
        worker.result()
    assert world.ask("apples", BOB).hits == (), "by the access of before"
    world.drain()
    assert world.ask("apples", BOB).hits == ()
    assert world.visible_text("closed/a.md", ANN) == "apples"


@guarded_by(reading.asking_for_policies, harm="by the access of before")
def test_what_is_closed_while_it_is_indexed_is_never_shown_to_others(world: World) -> None:
    world.state("a", PUBLIC)
    world.write("a/1.md", "apples")
    world.look()
    with world.pause_at("publish.before_lock") as paused:
        worker = world.start_worker(world.index_batch)
        paused.wait()
        world.state("a", ANN)
        world.look()
        paused.release()
        worker.result()
    assert world.ask("apples", BOB).hits == (), "by the access of before"
    world.drain()
    assert world.visible_text("a/1.md", ANN) == "apples"


@guarded_by(publishing.taking_fresh_ids, harm="the two stores disagree about who may find it")
def test_access_changed_between_two_attempts_at_staging(world: World) -> None:
    world.state("", ANN)
    world.write("a.md", "apples")
    world.look()
    world.vector.faults.fail_next("add")  # the lexical index has the record by then, with the access of then
    assert world.index().failed == 1
    world.state("", BOB)
    world.look()
    world.age(10)
    world.index()
    world.drain()
    assert found(world, BOB) == [("apples", BOTH)], "the two stores disagree about who may find it"
    assert world.audit().clean


@guarded_by(publishing.reading_access_after_the_lock, harm="fields that nobody will patch")
def test_a_folder_change_while_a_publish_is_in_flight_reaches_its_records(world: World) -> None:
    world.state("", ANN)
    world.write("a.md", "apples")
    world.look()
    with world.pause_at("publish.before_lock") as paused:
        worker = world.start_worker(world.index_batch)
        paused.wait()
        world.state("", BOB)
        world.look()
        world.patch_access()  # finds the document in flight, and cannot have its lease
        paused.release()
        worker.result()
    world.drain()
    assert world.audit().clean, "fields that nobody will patch"
    assert world.visible_text("a.md", BOB) == "apples"


@guarded_by(publishing.emptying_carried_access, harm="fields that nobody will patch")
def test_access_that_went_there_and_back_around_an_attempt_is_noticed(world: World) -> None:
    world.state("", ANN)
    world.write("a.md", "one")
    world.drain()
    world.state("", BOB)
    world.look()
    world.fan_out()
    with once_at("access.after_patch", die):  # both stores carry Bob, and nobody notes it
        worker = world.start_worker(world.access_fields.patch)
        worker.wait()
        assert isinstance(worker.error, Died)
    world.state("", ANN)
    world.write("a.md", "one\n\ntwo")
    world.look()
    world.expire_leases()
    world.index()
    world.drain()
    assert world.audit().clean, "fields that nobody will patch"
    assert world.visible_text("a.md", ANN) == "one\n\ntwo"


@guarded_by(publishing.inserting_only, harm="the access of before")
def test_a_write_that_arrives_twice_leaves_newer_access_alone(
    sqlite_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, sent = sqlite_world, list[Sequence[Record]]()
    add = MemoryLexicalIndex.add

    def noting(self: MemoryLexicalIndex, records: Sequence[Record], *, findable: bool) -> Mapping[RecordId, str]:
        sent.append(records)
        return add(self, records, findable=findable)

    monkeypatch.setattr(MemoryLexicalIndex, "add", noting)
    world.state("", ANN)
    world.write("a.md", "apples")
    world.drain()
    world.state("", BOB)
    world.drain()
    world.lexical.add(sent[0], findable=True)
    assert world.audit().clean, "the access of before"
