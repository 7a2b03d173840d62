"""DESIGN §10: vacuum against publishes, late writers and slow readers."""

from tests.fault import guards_publishing as publishing
from tests.fault.rig import guarded_by
from tests.world import PUBLIC, World

DAY_S = 86_400.0


@guarded_by(publishing.condemning_by_columns_of_the_row, harm="condemned while it was opened")
def test_vacuum_never_condemns_what_a_publish_opens(postgres_world: World) -> None:
    world = postgres_world
    world.state("", PUBLIC)
    world.write("a.md", "old")
    world.drain()
    world.write("a.md", "new")
    world.look()
    with (
        world.pause_at("stage.after_write") as staged,
        world.pause_at("publish.before_commit") as publishing,
        world.pause_at("vacuum.after_horizon") as vacuuming,
    ):
        worker = world.start_worker(world.index_batch)
        staged.wait()
        world.expire_leases()  # to others the attempt looks dead; nobody takes the document
        vacuum = world.start_worker(world.vacuum, "vacuum")
        vacuuming.wait()
        staged.release()
        publishing.wait()  # opened, not committed
        vacuuming.release()
        world.until_blocked(vacuum)
        publishing.release()
        worker.result()
        vacuum.result()
    world.lexical.refresh()
    world.vector.refresh()
    assert world.visible_text("a.md") == "new", "condemned while it was opened"
    assert world.audit().clean


@guarded_by(publishing.taking_fresh_ids, harm="deleted under the id of before")
def test_a_chunk_that_comes_back_while_vacuum_takes_its_old_record_stays_visible(world: World) -> None:
    world.state("", PUBLIC)
    world.write("a.md", "apples\n\npears")
    world.drain()
    world.write("a.md", "apples")
    world.drain()
    world.vacuum()
    world.age(100)
    with world.pause_at("vacuum.before_delete") as paused:
        vacuum = world.start_worker(world.vacuum)
        paused.wait()
        world.write("a.md", "apples\n\npears")
        world.drain()
        paused.release()
        vacuum.result()
    assert world.audit().clean, "deleted under the id of before"
    assert world.visible_text("a.md") == "apples\n\npears"


@guarded_by(publishing.deleting_once_more, harm="records that the catalog does not know")
def test_a_late_worker_that_writes_after_a_vacuum_leaves_nothing_behind(world: World) -> None:
    world.state("", PUBLIC)
    world.write("a.md", "apples")
    world.look()
    with world.pause_at("stage.after_note") as paused:
        late = world.start_worker(world.index_batch)
        paused.wait()
        world.expire_leases()
        world.index()
        assert world.vacuum()["deleted"] == 1  # what the late worker has noted and not written yet
        paused.release()
        assert late.result().documents == 0
    assert [hit.text for hit in world.ask("apples").hits] == ["apples"]
    assert len(world.lexical.ids(after=None, limit=10)) == 2
    world.age(2 * DAY_S)
    world.vacuum()
    assert len(world.record_rows()) == 1
    assert world.audit().clean, "records that the catalog does not know"


def test_a_reader_within_the_grace_period_keeps_its_snapshot(world: World) -> None:
    world.state("", PUBLIC)
    world.write("a.md", "old apples")
    world.drain()
    with world.pause_at("reader.after_snapshot") as paused:
        reader = world.start_worker(lambda: world.ask("apples"))
        paused.wait()
        world.write("a.md", "new apples")
        world.drain()
        world.vacuum()
        world.age(50)
        assert world.vacuum()["deleted"] == 0
        paused.release()
        assert [hit.text for hit in reader.result().hits] == ["old apples"]
