"""DESIGN §10: since when a text counts as out of date, when changes, looks, publishes and sharings overlap (§3.4)."""

from ingest.model.access import AccessRules, Policy, PolicyKind
from tests.fault import guards_behind as behind
from tests.fault.rig import guarded_by, held
from tests.world import ANN, BOB, RED, World

OLD = "the password is swordfish"
NEW = "the password is kept elsewhere"
LEAK = "the redacted text, to whom it was shared with afterwards"


def given(world: World) -> None:
    """A document that ann and a group may read, indexed."""
    world.state("a", ANN, RED)
    world.write("a/1.md", OLD)
    world.drain()


@guarded_by(behind.asking_the_inbox_after_the_lock_in_looks, harm=LEAK)
def test_a_change_accepted_while_a_look_empties_behind_at_is_not_forgotten(world: World) -> None:
    given(world)
    world.hint("a/1.md")
    with held(world, "look.after_read", world.look_at_documents):
        world.write("a/1.md", NEW)
    world.join(BOB, RED)
    assert world.ask("password", BOB).hits == (), LEAK
    world.drain()
    assert world.visible_text("a/1.md", BOB) == NEW


@guarded_by(behind.asking_the_inbox_after_the_lock_in_publishes, harm=LEAK)
def test_a_change_accepted_while_a_publish_empties_behind_at_is_not_forgotten(world: World) -> None:
    given(world)
    world.write("a/1.md", f"{OLD} still")
    world.look()
    with held(world, "publish.before_lock", world.index):
        world.write("a/1.md", NEW)
    world.join(BOB, RED)
    assert world.ask("password", BOB).hits == (), LEAK
    world.drain()
    assert world.visible_text("a/1.md", BOB) == NEW


@guarded_by(behind.locking_the_row_first, harm=LEAK)
def test_a_change_that_commits_while_a_publish_waits_for_the_row_is_not_forgotten(postgres_world: World) -> None:
    world = postgres_world
    given(world)
    world.write("a/1.md", f"{OLD} still")
    world.look()
    with (
        held(world, "publish.before_lock", world.index) as publish,
        held(world, "accept.before_commit", lambda: world.write("a/1.md", NEW)),
    ):
        publish.release()
        world.until_blocked(publish.worker)
    world.join(BOB, RED)
    assert world.ask("password", BOB).hits == (), LEAK


@guarded_by(behind.marking_what_a_look_finds, harm=LEAK)
def test_a_redaction_that_only_a_look_noticed_then_shared(world: World) -> None:
    given(world)
    world.write("a/1.md", NEW, hint=False)
    same = Policy(PolicyKind.STATED, frozenset({ANN, RED}))
    world.access("a", AccessRules(same, metadata={"owner": "ann"}))
    world.look()  # the folder's metadata has its documents looked at
    world.join(BOB, RED)
    assert world.ask("password", BOB).hits == (), LEAK
    world.drain()
    assert world.visible_text("a/1.md", BOB) == NEW


@guarded_by(behind.moving_the_clock_in_commit_order, harm=LEAK)
def test_a_change_accepted_while_a_sharing_commits_is_older_than_it(postgres_world: World) -> None:
    world = postgres_world
    given(world)
    world.join(BOB, RED, sync=False)
    with held(world, "directory.before_commit", world.sync):
        world.write("a/1.md", NEW)
    assert world.ask("password", BOB).hits == (), LEAK
    world.drain()
    assert world.visible_text("a/1.md", BOB) == NEW
