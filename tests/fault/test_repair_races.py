"""Repairs against what happens at the same time: stores that lost records, or were restored from an old backup."""

from tests.fault import guards_repair as repair
from tests.fault.rig import guarded_by, held
from tests.world import PUBLIC, World

BOTH = {"lexical", "vector"}


def given(world: World, text: str) -> None:
    """A document for everybody, indexed."""
    world.state("", PUBLIC)
    world.write("1.md", text)
    world.drain()


def lose(world: World) -> None:
    """The vector store comes back empty."""
    world.vector.drop()
    world.vector.create()


@guarded_by(repair.moving_the_revision, harm="the change that the look found")
def test_a_repair_while_a_look_reads_loses_no_change(world: World) -> None:
    given(world, "apples")
    lose(world)
    world.write("1.md", "pears")
    with held(world, "look.after_read", world.look_at_documents):
        world.audit_step.repair(world.audit())
        world.index()
    world.drain()
    assert world.visible_text("1.md") == "pears", "the change that the look found"
    assert world.audit().clean


@guarded_by(repair.marking_what_is_lost, harm="what no search finds")
def test_a_store_emptied_is_filled_again_without_the_model(world: World) -> None:
    given(world, "apples\n\npears")
    asked = world.model.inputs
    lose(world)
    assert not world.audit().clean
    world.repair()
    assert world.model.inputs == asked
    hits = world.ask("apples").hits
    assert {frozenset(leg.name for leg in hit.legs) for hit in hits if hit.text == "apples"} == {frozenset(BOTH)}, (
        "what no search finds"
    )
    assert world.visible_text("1.md") == "apples\n\npears"
    assert world.audit().clean


@guarded_by(repair.marking_what_is_lost, harm="what no search finds")
def test_a_store_lost_while_a_publish_is_in_flight_is_found_by_the_audit(world: World) -> None:
    given(world, "apples\n\npears")
    world.write("1.md", "apples\n\nplums")
    world.look()
    with held(world, "publish.before_lock", world.index):
        lose(world)
    assert not world.audit().clean
    world.repair()
    assert world.audit().clean, "what no search finds"
    assert world.visible_text("1.md") == "apples\n\nplums"


@guarded_by(repair.deleting_what_the_catalog_does_not_know, harm="records of before")
def test_a_store_restored_from_an_old_backup_shows_nothing_old(world: World) -> None:
    given(world, "apples")
    backup = dict(world.lexical._there())
    world.write("1.md", "pears")
    world.drain()
    world.vacuum()
    for _ in range(2):  # the records of apples are deleted, and a day later forgotten
        world.age(100_000)
        world.vacuum()
    world.lexical._stored = backup
    world.lexical.refresh()
    assert world.visible_text("1.md") == "pears", "the vector store still has it"
    assert [hit.text for hit in world.ask("apples").hits] == ["pears"]
    world.repair()
    assert world.audit().clean, "records of before"
    assert {leg.name for hit in world.ask("pears").hits for leg in hit.legs} == BOTH
