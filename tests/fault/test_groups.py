"""F34, F35: nested groups, and directories that fail."""

import pytest

from ingest.adapters.memory.faults import Fault
from ingest.errors import SourceUnavailable, TooManyGroups
from tests.world import ANN, BOB, PUBLIC, World, group, user

G1, G2, G3 = group("g1"), group("g2"), group("g3")


@pytest.fixture
def world(sqlite_world: World) -> World:
    """A document for one group, under a root for nobody."""
    sqlite_world.state("", G1)
    sqlite_world.write("1.md", "apples")
    sqlite_world.drain()
    return sqlite_world


def sees(world: World, *caller: object) -> bool:
    return world.visible_text("1.md", *caller) == "apples"  # type: ignore[arg-type]


def test_a_member_of_a_group_in_a_group_sees_until_the_link_is_removed(world: World) -> None:
    """F34: ann in g3, g3 in g2, g2 in g1."""
    world.join(G2, G1)
    world.join(G3, G2)
    world.join(ANN, G3)
    assert sees(world, ANN)
    assert not sees(world, BOB)
    world.leave(G3, G2)
    assert not sees(world, ANN)


def test_groups_in_a_circle_end(world: World) -> None:
    """F34: g1 in g2 and g2 in g1."""
    world.join(G1, G2)
    world.join(G2, G1)
    world.join(ANN, G2)
    assert sees(world, ANN)
    world.leave(ANN, G2)
    assert not sees(world, ANN)


def test_one_of_two_ways_to_a_group_is_enough(world: World) -> None:
    """F34: a diamond."""
    world.join(G2, G1)
    world.join(G3, G1)
    world.join(ANN, G2)
    world.join(ANN, G3)
    world.leave(ANN, G2)
    assert sees(world, ANN)
    world.leave(ANN, G3)
    assert not sees(world, ANN)


def test_whoever_is_allowed_by_name_needs_no_group(world: World) -> None:
    """F34: an owner who is no member."""
    world.allow("", BOB)
    world.drain()
    assert sees(world, BOB)


def test_a_group_of_thousands_is_no_burden_for_its_members(world: World) -> None:
    """F34: the closure counts the caller's groups, not their members."""
    world.directory.add(G1, *(user(f"u{number}") for number in range(3_000)))
    world.sync()
    assert sees(world, user("u2999"))


def test_a_caller_of_too_many_groups_is_refused_and_never_cut_short(world: World) -> None:
    """F34: one group more than the limit."""
    limit = world.retrieval_settings.closure_limit
    world.directory.add(G1, ANN)
    for number in range(limit + 1):
        world.directory.add(group(f"many{number}"), ANN)
    world.sync()
    with pytest.raises(TooManyGroups, match=str(limit)):
        world.ask("apples", ANN)


def test_a_directory_that_fails_changes_nothing_until_it_answers(world: World) -> None:
    """F35: an error, a timeout, half an answer: nothing is applied; a true removal is, at the next good answer."""
    world.join(ANN, G1)
    world.join(BOB, G1)
    world.directory.remove(G1, BOB)
    for _ in range(3):
        world.directory.faults.fail_next("memberships", Fault(error=SourceUnavailable("page 2 of 3 failed")))
        with pytest.raises(SourceUnavailable):
            world.sync()
        assert sees(world, ANN)
        assert sees(world, BOB)
    assert world.sync() == (1, 0)
    assert sees(world, ANN)
    assert not sees(world, BOB)


def test_a_directory_that_fails_at_its_second_reading_changes_nothing(world: World) -> None:
    """F35: the first answer said that something differs, the second never came."""
    world.join(ANN, G1)
    world.directory.remove(G1, ANN)
    fails = iter([None, Fault(error=SourceUnavailable("timed out"))])
    world.directory.faults.choose = lambda _: next(fails)
    with pytest.raises(SourceUnavailable):
        world.sync()
    assert sees(world, ANN)
    world.directory.faults.choose = lambda _: None
    assert world.sync() == (1, 0)
    assert not sees(world, ANN)


def test_everybody_is_no_group_that_one_can_join(world: World) -> None:
    """F34: public stands for everybody, also for callers nobody has heard of."""
    assert not sees(world)
    world.state("", PUBLIC)
    world.drain()
    assert sees(world)
    assert sees(world, user("stranger"))
