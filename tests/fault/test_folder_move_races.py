"""DESIGN §10: folders that move while somebody asks, and moves that would form a cycle together."""

from sqlalchemy import select

from ingest.catalog import folders, tables
from ingest.model.event import FolderHint
from tests.fault import guards_access as access
from tests.fault import guards_folders as guards
from tests.fault.rig import guarded_by, held
from tests.world import ANN, BOB, PUBLIC, World


def cut_off(world: World) -> list[str]:
    """Live folders from which no root is reached."""
    with world.database.read() as tx:
        live = select(tables.folders.c.id).where(tables.folders.c.deleted_at.is_(None))
        chains = folders.chains(tx, list(tx.execute(live).scalars()))
    return [chain.links[0].name for chain in chains.values() if not chain.alive]


@guarded_by(access.closing_what_moved, harm="by the place it moved to alone")
def test_restricted_folder_moved_under_a_public_one(world: World) -> None:
    world.state("pub", PUBLIC)
    world.state("secret", PUBLIC)
    world.write("secret/x/1.md", "apples")
    world.drain()
    world.state("secret", ANN)
    world.look()  # the access fields have not followed yet, so the decision alone keeps bob out
    assert world.visible_text("secret/x/1.md", BOB) == ""
    world.state("secret/x", ANN, hint=False)
    world.move("secret/x", "pub/x")
    with held(world, "folder_move.after_commit", world.look_at_folders):
        assert world.visible_text("pub/x/1.md", BOB) == "", "by the place it moved to alone"
    world.drain()
    assert world.visible_text("pub/x/1.md", BOB) == ""
    assert world.visible_text("pub/x/1.md", ANN) == "apples"


@guarded_by(guards.moving_folders_one_by_one, harm="in a circle")
def test_two_folder_moves_each_legal_alone_form_a_cycle(postgres_world: World) -> None:
    world = postgres_world
    world.state("", PUBLIC)
    world.write("b/c/1.md", "pears")
    world.write("a/d/1.md", "apples")
    world.drain()
    one, other = world.tree.identity("a"), world.tree.identity("b")
    world.tree.move("a", "b/c/a")
    world.accept(FolderHint("b/c/a", one), FolderHint("a"), FolderHint("a/d/b", other))
    with (
        held(world, "folder_move.before_lock", world.look_at_folders) as first,
        world.pause_at("folder_move.before_commit") as in_it,
    ):
        world.tree.move("b/c/a", "a")
        world.tree.move("b", "a/d/b")
        world.accept(FolderHint("b"))
        first.release()
        in_it.wait()
        second = world.start_worker(world.look_at_folders, "second move")
        world.until_blocked(second)
        in_it.release()
        second.result()
    assert cut_off(world) == [], "in a circle"
    world.scan()
    world.drain()
    assert cut_off(world) == []
    assert world.visible_text("a/d/1.md") == "apples"
    assert world.visible_text("a/d/b/c/1.md") == "pears"
    assert world.audit().clean
