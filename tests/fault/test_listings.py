"""F15: a failed or empty listing deletes nothing."""

import pytest

from ingest.adapters.memory.content_tree import Folder
from ingest.adapters.memory.faults import Fault
from ingest.errors import SourceUnavailable
from tests.world import PUBLIC, World

NUMBER = 40


@pytest.fixture
def world(sqlite_world: World) -> World:
    """Forty documents in four folders, indexed."""
    sqlite_world.state("", PUBLIC)
    for number in range(NUMBER):
        sqlite_world.write(f"f{number % 4}/{number}.md", f"text {number}", hint=False)
    sqlite_world.scan()
    sqlite_world.drain()
    assert sqlite_world.live_documents() == NUMBER
    return sqlite_world


def visible(world: World) -> int:
    return len(world.ask("text", limit=2 * NUMBER).hits)


def test_a_missing_root_deletes_nothing(world: World) -> None:
    """F15: the root is not mounted."""
    world.tree.missing = True
    with pytest.raises(SourceUnavailable):
        world.scan()
    assert world.source_row().problem is not None
    world.drain()
    assert (world.live_documents(), visible(world)) == (NUMBER, NUMBER)
    world.tree.missing = False
    world.scan()
    world.drain()
    assert (world.live_documents(), visible(world)) == (NUMBER, NUMBER)
    assert world.source_row().problem is None


def test_an_empty_listing_is_held_and_named(world: World) -> None:
    """F15: the root lists as empty; what is missing is not deleted, and how much is said."""
    root = world.tree.find("")
    assert isinstance(root, Folder)
    before, root.inside = root.inside, {}
    world.scan()
    world.drain()
    assert (world.live_documents(), visible(world)) == (NUMBER, NUMBER)
    row = world.source_row()
    assert row.held_drop == NUMBER
    assert str(NUMBER) in row.problem
    root.inside = before
    world.scan()
    world.drain()
    assert (world.live_documents(), visible(world)) == (NUMBER, NUMBER)
    assert (world.source_row().held_drop, world.source_row().problem) == (0, None)


def test_a_folder_that_cannot_be_listed_keeps_what_is_below_it(world: World) -> None:
    """F15: one of four folders is closed to us; additions elsewhere are applied."""
    world.tree.unlistable.add("f1")
    world.write("f2/new.md", "text that is new", hint=False)
    world.scan()
    world.drain()
    assert (world.live_documents(), visible(world)) == (NUMBER + 1, NUMBER + 1)
    world.tree.unlistable.clear()
    world.scan()
    world.drain()
    assert world.live_documents() == NUMBER + 1


def test_a_listing_that_stops_half_way_changes_nothing(world: World) -> None:
    """F15: the walk ends with an error."""
    world.tree.faults.fail_next("listing", Fault(error=SourceUnavailable("the walk ended")))
    with pytest.raises(SourceUnavailable):
        world.scan()
    assert world.source_row().problem == "the walk ended"
    assert (world.live_documents(), visible(world)) == (NUMBER, NUMBER)


def test_a_true_removal_is_applied(world: World) -> None:
    """F15: two of forty are gone."""
    world.remove("f0/0.md", hint=False)
    world.remove("f1/1.md", hint=False)
    world.scan()
    world.drain()
    assert (world.live_documents(), visible(world)) == (NUMBER - 2, NUMBER - 2)
    assert world.source_row().problem is None
