"""Steps that wait for each other's rows wait in one order, on PostgreSQL, whose references lock what they name."""

from typing import Any

from ingest.indexing.pipeline import Drained
from ingest.model.event import DocumentDeleted, DocumentHint
from tests.fault import guards_access as access
from tests.fault.rig import guarded_by
from tests.world import PUBLIC, Worker, World

CIRCLE = "each has what the other waits for"


def ended_well(*workers: Worker[Any]) -> bool:
    """Nobody was thrown out to let another one go on."""
    for worker in workers:
        worker.wait()
    failed = sum(worker.result().failed for worker in workers if not worker.error and _indexed(worker))
    return all(worker.error is None for worker in workers) and not failed


def _indexed(worker: Worker[Any]) -> bool:
    return isinstance(worker.result(), Drained)


@guarded_by(access.locking_no_keys, harm=CIRCLE)
def test_staging_and_accepting_one_document_do_not_wait_for_each_other(postgres_world: World) -> None:
    world = postgres_world
    world.state("", PUBLIC)
    world.write("1.md", "apples")
    world.look()
    with world.pause_at("stage.after_lock") as paused:
        worker = world.start_worker(world.index_batch)
        paused.wait()  # it has the indexing row, and will insert records that name the document
        accept = world.start_worker(lambda: world.write("1.md", "pears"), "accept")
        world.until_blocked(accept)  # it has the document, and waits for the indexing row
        paused.release()
        assert ended_well(worker, accept), CIRCLE
    world.drain()
    assert world.visible_text("1.md") == "pears"


@guarded_by(access.locking_no_keys, harm=CIRCLE)
def test_a_publish_and_the_attempt_that_took_its_document_do_not_wait_for_each_other(postgres_world: World) -> None:
    world = postgres_world
    world.state("", PUBLIC)
    world.write("1.md", "apples")
    world.look()
    with world.pause_at("publish.before_lock") as before, world.pause_at("publish.after_generation") as publishing:
        late = world.start_worker(world.index_batch, "late")
        before.wait()
        world.expire_leases()
        with world.pause_at("stage.after_lock") as staging:
            newer = world.start_worker(world.index_batch, "newer")
            staging.wait()  # it has the indexing row, and will insert records that name the generation
            before.release()
            publishing.wait()  # it has the generation
            publishing.release()
            world.until_blocked(late)  # and waits for the indexing row
            staging.release()
            assert ended_well(newer, late), CIRCLE
    assert world.visible_text("1.md") == "apples"


@guarded_by(access.locking_no_keys, harm="it waits for a publish")
def test_a_look_stores_new_documents_while_a_publish_is_in_flight(postgres_world: World) -> None:
    world = postgres_world
    world.state("", PUBLIC)
    world.write("1.md", "apples")
    world.look()
    with world.pause_at("publish.before_commit") as publishing:
        worker = world.start_worker(world.index_batch)
        publishing.wait()
        world.write("2.md", "pears")
        look = world.start_worker(world.look, "look")
        world.until_blocked(look)
        assert look.done, "it waits for a publish"
        publishing.release()
        assert ended_well(worker, look)
    world.drain()
    assert world.visible_text("2.md") == "pears"


@guarded_by(access.locking_no_keys, harm=CIRCLE)
def test_a_batch_with_a_delete_and_a_publish_do_not_wait_for_each_other(postgres_world: World) -> None:
    world = postgres_world
    world.state("", PUBLIC)
    world.write("1.md", "apples")
    world.look()
    with world.pause_at("publish.after_generation") as publishing:
        worker = world.start_worker(world.index_batch)
        publishing.wait()
        # the first event locks the row that the publish needs, the second inserts one that names the generation
        accept = world.start_worker(lambda: world.accept(DocumentHint("1.md"), DocumentDeleted("2.md")), "accept")
        world.until_blocked(accept)
        publishing.release()
        assert ended_well(worker, accept), CIRCLE
    world.drain()
    assert world.visible_text("1.md") == "apples"
