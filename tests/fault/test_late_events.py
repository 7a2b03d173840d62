"""Events that come late, twice, in the wrong order, or never (DESIGN §10; F13)."""

import pytest
from sqlalchemy import delete

from ingest.catalog.tables import indexing
from ingest.errors import Refused, Superseded
from ingest.model.event import DocumentHint
from tests.fault import guards_access as access
from tests.fault.rig import guarded_by
from tests.world import ANN, PUBLIC, RED, World


def test_a_delete_hint_that_arrives_after_the_recreation_hides_nothing(world: World) -> None:
    """F13: modify, create, modify, delete for a path that exists."""
    world.state("", PUBLIC)
    world.write("1.md", "apples")
    world.drain()
    for _ in range(3):
        world.hint("1.md")
    world.accept(DocumentHint("1.md"))  # it says that nothing was there
    assert world.visible_text("1.md") == "apples"
    world.drain()
    assert world.visible_text("1.md") == "apples"


@pytest.mark.parametrize("text", ["apples", "pears"])
@pytest.mark.parametrize("looked_between", [True, False])
def test_a_file_that_was_recreated_is_searchable(sqlite_world: World, text: str, looked_between: bool) -> None:
    """F13: deleted and created again, with the same bytes and with others."""
    world = sqlite_world
    world.state("", PUBLIC)
    world.write("1.md", "apples")
    world.drain()
    world.remove("1.md")
    if looked_between:
        world.drain()
    world.write("1.md", text)
    world.drain()
    assert world.visible_text("1.md") == text


def test_a_file_recreated_while_a_look_finds_it_gone_is_looked_at_again(world: World) -> None:
    """F13: the look saw the gap, the hint of the new file came before it stored that."""
    world.state("", PUBLIC)
    world.write("1.md", "apples")
    world.drain()
    world.remove("1.md")
    with world.pause_at("look.after_read") as paused:
        look = world.start_worker(world.look_at_documents)
        paused.wait()
        world.write("1.md", "apples again")
        paused.release()
        look.result()
    world.drain()
    assert world.visible_text("1.md") == "apples again"


def test_a_placeholder_whose_file_appears_while_a_look_finds_nothing_is_looked_at_again(world: World) -> None:
    world.state("", PUBLIC)
    world.drain()
    world.accept(DocumentHint("1.md"))
    with world.pause_at("look.after_read") as paused:
        look = world.start_worker(world.look_at_documents)
        paused.wait()
        world.write("1.md", "apples")
        paused.release()
        look.result()
    world.drain()
    assert world.visible_text("1.md") == "apples"


def test_an_update_that_arrives_after_the_delete_does_not_bring_the_old_document_back(world: World) -> None:
    world.state("", PUBLIC)
    world.write("1.md", "apples")
    world.drain()
    world.remove("1.md", hint=False)
    world.delete("1.md")
    world.accept(DocumentHint("1.md"))
    world.drain()
    assert world.ask("apples").hits == ()
    assert world.live_documents() == 0


def test_what_the_watcher_invented_changes_nothing(world: World) -> None:
    world.state("", PUBLIC)
    world.write("1.md", "apples")
    world.drain()
    before = world.indexing_row("1.md")
    world.accept(DocumentHint("1.md"), DocumentHint("never/there.md"))
    assert world.visible_text("1.md") == "apples"
    world.drain()
    assert world.visible_text("1.md") == "apples"
    assert world.indexing_row("1.md").published_version == before.published_version
    assert world.live_documents() == 1


def test_what_the_watcher_missed_is_found_by_a_scan(world: World) -> None:
    world.state("", PUBLIC)
    world.write("1.md", "apples")
    world.write("2.md", "pears")
    world.drain()
    world.write("1.md", "more apples", hint=False)
    world.remove("2.md", hint=False)
    world.write("a/3.md", "plums", hint=False)
    world.scan()
    world.drain()
    texts = [world.visible_text(key) for key in ("1.md", "2.md", "a/3.md")]
    assert texts == ["more apples", "", "plums"]


def test_a_document_that_nobody_set_due_is_found_by_the_sweep(world: World) -> None:
    world.state("", PUBLIC)
    world.write("1.md", "apples")
    world.look()
    with world.database.write() as tx:
        tx.execute(delete(indexing))
    world.drain()
    assert world.ask("apples").hits == ()
    assert world.sweep() == 1
    world.drain()
    assert world.visible_text("1.md") == "apples"
    assert world.sweep() == 0


def test_an_event_that_comes_twice_takes_effect_once(world: World) -> None:
    world.state("", PUBLIC)
    world.write("1.md", "apples")
    world.drain()
    world.state("", ANN)
    world.look()
    assert world.accept(DocumentHint("1.md"), ids=("e1",)) == 1
    world.look()
    assert world.accept(DocumentHint("1.md"), ids=("e1",)) == 0
    world.state("", PUBLIC)
    world.drain()
    answer = world.ask("apples")
    assert ([hit.text for hit in answer.hits], answer.pending) == (["apples"], 0)


def test_an_event_id_with_another_body_is_refused(world: World) -> None:
    world.accept(DocumentHint("1.md"), ids=("e1",))
    with pytest.raises(Refused, match="e1"):
        world.accept(DocumentHint("2.md"), ids=("e1",))
    assert world.document_id("2.md") is None


def test_a_grant_retried_after_its_revocation_grants_nothing(world: World) -> None:
    world.state("", ANN)
    world.write("1.md", "apples")
    world.drain()
    world.allow("", PUBLIC)  # the grant
    world.drain()
    world.state("", ANN)  # the revocation
    world.drain()
    world.hint_folder("")  # the grant's event again, under a new id
    world.drain()
    assert world.ask("apples").hits == ()
    assert world.visible_text("1.md", ANN) == "apples"


@guarded_by(access.numbering_syncs, harm="as a member of a group she was removed from")
def test_an_older_directory_sync_brings_no_removed_edge_back(world: World) -> None:
    world.state("", RED)
    world.write("1.md", "apples")
    world.drain()
    world.join(ANN, RED, sync=False)
    with world.pause_at("directory.after_read") as paused:
        older = world.start_worker(world.sync)
        paused.wait()
        world.leave(ANN, RED)  # read and applied by another sync: acknowledged
        paused.release()
        older.wait()
    assert world.ask("apples", ANN).hits == (), "as a member of a group she was removed from"
    assert isinstance(older.error, Superseded)
