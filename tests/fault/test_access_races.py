"""DESIGN §10: folders that nobody has looked at, that cannot be read, that moved, or that form a circle."""

from sqlalchemy import update

from ingest.catalog import tables
from ingest.model.access import UNREADABLE, AccessRules, Policy, PolicyKind
from tests.fault import guards_access as access
from tests.fault import guards_reading as reading
from tests.fault.rig import guarded_by
from tests.world import ANN, BOB, PUBLIC, World


@guarded_by(access.closing_what_was_not_looked_at, harm="before its access file was read")
def test_a_folder_is_readable_by_nobody_before_its_access_file_was_read(world: World) -> None:
    world.state("", PUBLIC)
    world.drain()
    world.tree.set_access("a", AccessRules(Policy(PolicyKind.STATED, frozenset({ANN}))))
    world.write("a/1.md", "apples")  # the hint of the access file is late
    world.look_at_documents()
    world.index()
    assert world.ask("apples", BOB).hits == (), "before its access file was read"
    world.drain()
    assert world.ask("apples", BOB).hits == ()
    assert world.visible_text("a/1.md", ANN) == "apples"


@guarded_by(reading.asking_for_the_folders_above, harm="although nobody can say who may")
def test_an_access_file_that_cannot_be_read_means_nobody_below(world: World) -> None:
    world.state("a", PUBLIC)
    world.state("a/b", PUBLIC)
    world.write("a/b/1.md", "apples")
    world.drain()
    world.access("a", AccessRules(UNREADABLE, problem="line 3 is no YAML"))
    world.look()  # the access fields still let everybody through
    assert world.ask("apples", ANN).hits == (), "although nobody can say who may"
    world.drain()
    assert world.ask("apples", ANN).hits == ()
    world.state("a", PUBLIC)
    world.access("a", AccessRules())
    world.drain()
    assert world.visible_text("a/b/1.md", ANN) == "apples"


@guarded_by(access.closing_what_moved, harm="the redacted text, under the folder that it moved to")
def test_a_restricted_folder_moved_under_a_public_one_shows_no_text_that_was_out_of_date(world: World) -> None:
    world.state("top", PUBLIC)
    world.state("open", PUBLIC)
    world.write("top/in/1.md", "the secret")
    world.write("open/2.md", "anything")
    world.drain()
    world.state("top", ANN)
    world.look()  # the access fields still let everybody through
    world.write("top/in/1.md", "redacted")
    world.move("top/in", "open/in")
    for _ in range(4):
        world.look_at_folders()
    answer = world.ask("secret", BOB)
    assert "the secret" not in [hit.text for hit in answer.hits], "the redacted text, under the folder that it moved to"
    world.drain()
    assert world.visible_text("open/in/1.md", BOB) == "redacted"


def test_folders_in_a_circle_are_readable_by_nobody_and_nothing_hangs(world: World) -> None:
    world.state("", PUBLIC)
    world.write("x/y/1.md", "apples")
    world.drain()
    with world.database.write() as tx:
        row = tables.folders.c.id == world.folder_id("x")
        tx.execute(update(tables.folders).where(row).values(parent_id=world.folder_id("x/y"), name="x"))
    assert world.ask("apples", ANN).hits == ()
