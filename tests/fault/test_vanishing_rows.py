"""Events that name a row while somebody ends, moves or drops it: what they tell of is looked at all the same (P5)."""

import pytest

from ingest.model.event import DocumentDeleted, DocumentHint, FolderHint
from tests.fault import guards_access as access
from tests.fault.rig import guarded_by, held
from tests.world import PUBLIC, World

LOST = "nobody looked at it"


@pytest.fixture
def world(postgres_world: World) -> World:
    """One document, indexed. SQLite has one writer: none of this can happen there."""
    postgres_world.state("", PUBLIC)
    postgres_world.write("a/1.md", "apples")
    postgres_world.drain()
    return postgres_world


@guarded_by(access.looking_once_more_for_what_was_locked, harm=LOST)
def test_a_hint_that_waits_for_the_end_of_its_document(world: World) -> None:
    world.remove("a/1.md")
    with held(world, "look.before_commit", world.look_at_documents):
        accept = world.start_worker(lambda: world.write("a/1.md", "apples again"), "accept")
        world.until_blocked(accept)
    accept.result()
    world.drain()
    assert world.visible_text("a/1.md") == "apples again", LOST


@guarded_by(access.looking_once_more_for_what_was_locked, harm=LOST)
def test_a_hint_that_waits_for_a_placeholder_that_is_dropped(world: World) -> None:
    world.accept(DocumentHint("a/2.md"))
    with held(world, "look.before_commit", world.look_at_documents):
        accept = world.start_worker(lambda: world.write("a/2.md", "pears"), "accept")
        world.until_blocked(accept)
    accept.result()
    world.drain()
    assert world.visible_text("a/2.md") == "pears", LOST


@guarded_by(access.looking_once_more_for_what_was_locked, harm=LOST)
def test_a_hint_that_waits_for_a_document_that_moves_away(world: World) -> None:
    world.move("a/1.md", "a/2.md")
    with held(world, "look.before_commit", world.look_at_documents):
        accept = world.start_worker(lambda: world.write("a/1.md", "pears"), "accept")
        world.until_blocked(accept)
    accept.result()
    world.drain()
    assert (world.visible_text("a/1.md"), world.visible_text("a/2.md")) == ("pears", "apples"), LOST


@guarded_by(access.looking_once_more_for_what_was_locked, harm=LOST)
def test_a_hint_of_a_document_in_a_folder_that_ends(world: World) -> None:
    world.remove("a")
    with held(world, "folder_look.before_end", world.look_at_folders):
        accept = world.start_worker(lambda: world.write("a/2.md", "pears"), "accept")
        world.until_blocked(accept)
    accept.result()
    world.drain()
    assert world.visible_text("a/2.md") == "pears", LOST


@guarded_by(access.looking_once_more_for_what_was_locked, harm=LOST)
def test_a_hint_of_a_folder_that_ends(world: World) -> None:
    world.remove("a")
    with held(world, "folder_look.before_end", world.look_at_folders):
        world.tree.write("a/2.md", "pears")
        accept = world.start_worker(lambda: world.accept(FolderHint("a"), DocumentHint("a/2.md")), "accept")
        world.until_blocked(accept)
    accept.result()
    world.drain()
    assert world.visible_text("a/2.md") == "pears", LOST


@guarded_by(access.looking_once_more_for_what_was_locked, harm=LOST)
def test_a_hint_of_a_document_in_a_folder_that_moves_away(world: World) -> None:
    world.write("a/b/3.md", "plums")
    world.drain()
    world.move("a", "c")
    with held(world, "folder_move.before_commit", world.look_at_folders):
        accept = world.start_worker(lambda: world.write("a/b/4.md", "pears"), "accept")
        world.until_blocked(accept)
    accept.result()
    world.drain()
    assert world.visible_text("a/b/4.md") == "pears", LOST
    assert (world.visible_text("c/1.md"), world.visible_text("c/b/3.md")) == ("apples", "plums")


@guarded_by(access.asking_for_the_old_path_under_the_lock, harm=LOST)
def test_a_file_made_anew_where_another_one_went_from_is_looked_at(sqlite_world: World) -> None:
    world = sqlite_world
    world.state("", PUBLIC)
    world.write("1.md", "apples")
    world.drain()
    world.move("1.md", "2.md")
    with held(world, "look.after_read", world.look_at_documents):
        world.write("1.md", "pears")
    world.drain()
    assert (world.visible_text("1.md"), world.visible_text("2.md")) == ("pears", "apples"), LOST


@guarded_by(access.moving_only_what_is_still_there, harm=LOST)
def test_an_explicit_delete_during_the_look_that_finds_a_move_leaves_the_file_to_be_found(sqlite_world: World) -> None:
    world = sqlite_world
    world.state("", PUBLIC)
    world.write("1.md", "apples")
    world.drain()
    world.move("1.md", "2.md")
    with held(world, "look.after_read", world.look_at_documents):
        world.accept(DocumentDeleted("1.md"))
    world.drain()
    assert (world.visible_text("1.md"), world.visible_text("2.md")) == ("", "apples"), LOST
