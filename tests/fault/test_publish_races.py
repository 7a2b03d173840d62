"""Races around staging and publishing. Each is also run with its guard switched off: `test_guards.py`."""

from tests.world import ANN, BOB, PUBLIC, World
from tests.world.threads import Died, die, once_at

BOTH = {"lexical", "vector"}


def test_nothing_is_visible_before_both_stores_can_find_it(world: World) -> None:
    world.state("", PUBLIC)
    world.write("a.md", "apples are red")
    world.drain()
    world.write("a.md", "apples are green")
    world.look()
    with world.pause_at("publish.before_lock") as paused:
        worker = world.start_worker(world.index)
        paused.wait()
        assert world.visible_text("a.md") == "apples are red"
        paused.release()
        worker.result()
    found = [(hit.text, {leg.name for leg in hit.legs}) for hit in world.ask("apples").hits]
    assert found == [("apples are green", BOTH)]


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


def test_a_worker_that_lost_its_lease_publishes_nothing(world: World) -> None:
    world.state("", PUBLIC)
    world.write("a.md", "one\n\ntwo")
    world.drain()
    world.write("a.md", "one")  # only closes a record: nothing staged that the next attempt could condemn
    world.look()
    with world.pause_at("publish.before_lock") as paused:
        slow = world.start_worker(world.index)
        paused.wait()
        world.write("a.md", "one\n\ntwo\n\nthree")
        world.look()
        world.expire_leases()
        world.index()
        assert world.visible_text("a.md") == "one\n\ntwo\n\nthree"
        paused.release()
        assert slow.result().documents == 0
    assert world.visible_text("a.md") == "one\n\ntwo\n\nthree"


def test_epochs_are_published_in_order(postgres_world: World) -> None:
    world = postgres_world
    world.state("", PUBLIC)
    world.write("a.md", "apples")
    world.look()
    with world.pause_at("publish.before_commit") as paused:
        first = world.start_worker(world.index, "first")
        paused.wait()
        world.write("b.md", "pears")
        world.look()
        second = world.start_worker(world.index, "second")
        world.until_blocked(second)
        paused.release()
        epochs = (first.result().epoch, second.result().epoch)
    assert epochs == (1, 2)


def test_what_is_deleted_while_it_is_indexed_is_never_shown(world: World) -> None:
    world.state("", PUBLIC)
    world.write("a.md", "apples")
    world.look()
    with world.pause_at("publish.before_lock") as paused:
        worker = world.start_worker(world.index)
        paused.wait()
        world.delete("a.md")
        paused.release()
        worker.result()
    assert world.ask("apples").hits == ()
    world.drain()
    assert world.ask("apples").hits == ()
    assert not any(row.to_epoch is None for row in world.record_rows())


def test_what_moves_under_a_restricted_folder_while_it_is_indexed_is_never_shown_to_others(world: World) -> None:
    world.state("open", PUBLIC)
    world.state("closed", ANN)
    world.write("open/a.md", "apples")
    world.look()
    with world.pause_at("publish.before_lock") as paused:
        worker = world.start_worker(world.index)
        paused.wait()
        world.move("open/a.md", "closed/a.md")
        world.look()
        paused.release()
        worker.result()
    assert world.ask("apples", BOB).hits == ()
    world.drain()
    assert world.ask("apples", BOB).hits == ()
    assert world.visible_text("closed/a.md", ANN) == "apples"


def test_what_is_closed_while_it_is_indexed_is_never_shown_to_others(world: World) -> None:
    world.state("a", PUBLIC)
    world.write("a/1.md", "apples")
    world.look()
    with world.pause_at("publish.before_lock") as paused:
        worker = world.start_worker(world.index)
        paused.wait()
        world.state("a", ANN)
        world.look()
        paused.release()
        worker.result()
    assert world.ask("apples", BOB).hits == ()
    world.drain()
    assert world.visible_text("a/1.md", ANN) == "apples"


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
    found = [(hit.text, {leg.name for leg in hit.legs}) for hit in world.ask("apples", BOB).hits]
    assert found == [("apples", BOTH)]
    assert world.audit().clean


def test_a_folder_change_while_a_publish_is_in_flight_reaches_its_records(world: World) -> None:
    world.state("", ANN)
    world.write("a.md", "apples")
    world.look()
    with world.pause_at("publish.before_lock") as paused:
        worker = world.start_worker(world.index)
        paused.wait()
        world.state("", BOB)
        world.look()
        world.patch_access()  # finds the document in flight, and cannot have its lease
        paused.release()
        worker.result()
    world.drain()
    assert world.audit().clean
    assert world.visible_text("a.md", BOB) == "apples"


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
    assert world.audit().clean
    assert world.visible_text("a.md", ANN) == "one\n\ntwo"


def test_a_write_that_arrives_twice_leaves_newer_access_alone(sqlite_world: World) -> None:
    world = sqlite_world
    sent: list[tuple[object, ...]] = []
    add = world.lexical.add

    def watched(records: object, *, findable: bool) -> object:
        sent.append((records, findable))
        return add(records, findable=findable)  # type: ignore[arg-type]

    world.lexical.add = watched  # type: ignore[method-assign, assignment]
    world.state("", ANN)
    world.write("a.md", "apples")
    world.drain()
    world.state("", BOB)
    world.drain()
    (records, _), *_rest = sent
    add(records, findable=True)  # type: ignore[arg-type]
    assert world.audit().clean
