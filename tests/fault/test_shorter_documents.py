"""F22: what a document no longer says is in neither store once vacuum has passed."""

from ingest.adapters.memory.faults import Fault
from tests.world import PUBLIC, World

DAY_S = 86_400.0


def paragraphs(*numbers: int) -> str:
    """One chunk each."""
    return "\n\n".join(f"paragraph number{n}" for n in numbers)


def stored(world: World) -> tuple[int, int]:
    """How many records each store holds."""
    return len(world.lexical.ids(after=None, limit=100)), len(world.vector.ids(after=None, limit=100))


def vacuum(world: World) -> None:
    """Until everything closed is gone from both stores."""
    world.vacuum()
    world.age(100)
    world.vacuum()


def begin(world: World, *numbers: int) -> None:
    world.state("", PUBLIC)
    world.write("1.md", paragraphs(*numbers))
    world.drain()


def test_ten_chunks_then_three_then_none(sqlite_world: World) -> None:
    """F22: exact counts in both stores, and nothing is found by a word that is gone."""
    world = sqlite_world
    begin(world, *range(10))
    assert stored(world) == (10, 10)
    for left in (3, 0):
        world.write("1.md", paragraphs(*range(left)))
        world.drain()
        assert len(world.open_records()) == left
        assert "paragraph number9" not in [hit.text for hit in world.ask("number9").hits]
        vacuum(world)
        assert stored(world) == (left, left)
        assert world.audit().clean


def test_two_saves_before_anything_is_indexed_leave_the_second(sqlite_world: World) -> None:
    """F22: the second save is shorter and comes before the first one was published."""
    world = sqlite_world
    begin(world, *range(6))
    world.write("1.md", paragraphs(*range(8)))
    world.look()
    with world.pause_at("stage.after_write") as paused:
        worker = world.start_worker(world.index)
        paused.wait()
        world.write("1.md", paragraphs(0, 1))
        world.look()
        paused.release()
        worker.result()
    world.drain()
    assert world.visible_text("1.md") == paragraphs(0, 1)
    vacuum(world)
    assert stored(world) == (2, 2)


def test_borders_of_chunks_that_moved_leave_nothing_behind(sqlite_world: World) -> None:
    """F22: an edit in the middle joins two chunks."""
    world = sqlite_world
    begin(world, 1, 2, 3)
    joined = paragraphs(1, 2, 3).replace("number2\n\n", "number2\n")
    world.write("1.md", joined)
    world.drain()
    assert world.visible_text("1.md") == joined
    vacuum(world)
    assert stored(world) == (2, 2)


def test_a_delete_that_fails_once_is_made_up_for(sqlite_world: World) -> None:
    """F22: one store refuses the delete, once; half of it was applied."""
    world = sqlite_world
    begin(world, *range(5))
    world.write("1.md", paragraphs(0))
    world.drain()
    world.vacuum()
    world.age(100)
    world.vector.faults.fail_next("delete", Fault(applied=0.5))
    worker = world.start_worker(world.vacuum)
    worker.wait()
    assert worker.error is not None
    assert world.visible_text("1.md") == paragraphs(0)
    world.vacuum()
    assert stored(world) == (1, 1)
    world.age(2 * DAY_S)
    world.vacuum()
    assert len(world.record_rows()) == 1
