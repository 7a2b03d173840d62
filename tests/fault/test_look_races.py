"""Races around looks. Each is also run with its guard switched off: `test_guards.py`."""

from ingest.catalog import contents, documents, policies
from ingest.indexing.look import LookOutcome
from ingest.model.access import AccessRules, Policy, PolicyKind
from tests.world import ANN, BOB, PUBLIC, World

CLOSED = Policy(PolicyKind.STATED)


def test_a_look_begun_before_a_revocation_stores_nothing(world: World) -> None:
    world.state("a", PUBLIC)
    world.write("a/1.md", "apples")
    world.drain()
    world.hint_folder("a")
    with world.pause_at("folder_look.after_read") as paused:
        look = world.start_worker(world.look_at_folders)
        paused.wait()  # it has read that everybody may
        world.state("a", ANN)
        world.expire_leases()
        world.look()
        assert world.ask("apples", BOB).hits == ()
        paused.release()
        assert look.result() == {LookOutcome.AGAIN: 1}
    assert world.ask("apples", BOB).hits == ()


def test_a_hint_of_an_access_file_refuses_the_look_that_is_under_way(world: World) -> None:
    world.state("a", PUBLIC)
    world.write("a/1.md", "apples")
    world.drain()
    world.hint_folder("a")
    with world.pause_at("folder_look.after_read") as paused:
        look = world.start_worker(world.look_at_folders)
        paused.wait()
        world.state("a", ANN)
        paused.release()
        assert look.result() == {LookOutcome.AGAIN: 1}
    assert world.look_at_folders() == {LookOutcome.STORED: 1}  # due at once
    assert world.ask("apples", BOB).hits == ()


def test_a_look_begun_before_a_delete_brings_nothing_back(world: World) -> None:
    world.state("", PUBLIC)
    world.write("1.md", "one")
    world.drain()
    document = world.known_id("1.md")
    world.write("1.md", "two")
    with world.pause_at("look.after_read") as paused:
        look = world.start_worker(world.look_at_documents)
        paused.wait()
        world.delete("1.md")
        paused.release()
        look.result()
    world.drain()
    assert world.visible_text("1.md") == ""
    assert world.live_documents() == 0
    with world.database.read() as tx:
        assert contents.load(tx, [document]) == {}


def test_a_look_begun_before_a_document_was_closed_does_not_open_it(world: World) -> None:
    world.state("", PUBLIC)
    world.write("1.md", "one")
    world.drain()
    document = world.known_id("1.md")
    world.hint("1.md")
    with world.pause_at("look.after_read") as paused:
        look = world.start_worker(world.look_at_documents)
        paused.wait()
        with world.database.write() as tx:  # what accepting a revocation for one document does
            documents.set_policy(tx, document, CLOSED.kind)
            policies.write_entries(tx, "d", document, CLOSED)
        assert world.visible_text("1.md", ANN) == ""
        paused.release()
        assert look.result() == {LookOutcome.AGAIN: 1}
    assert world.visible_text("1.md", ANN) == ""


def test_two_looks_of_one_folder_agree_about_its_metadata(world: World) -> None:
    world.state("", PUBLIC)
    world.access("a", AccessRules(metadata={"category": "old"}))
    world.write("a/1.md", "apples")
    world.write("a/2.md", "apples too")
    world.drain()
    world.write("a/1.md", "more apples")
    world.write("a/2.md", "more apples too")
    with world.pause_at("look.after_read") as paused:
        look = world.start_worker(world.look_at_documents)
        paused.wait()  # the first document was read under the old metadata, the second will be under the new
        world.access("a", AccessRules(metadata={"category": "new"}))
        world.look_at_folders()
        paused.release()
        look.result()
    world.drain()
    found = world.ask("apples", filters={"category": frozenset({"new"})}).hits
    assert {hit.document for hit in found} == {"a/1.md", "a/2.md"}
    assert world.ask("apples", filters={"category": frozenset({"old"})}).hits == ()


def test_a_look_that_reads_while_content_and_access_change_shows_nobody_the_old_text(world: World) -> None:
    world.state("", PUBLIC)
    world.write("1.md", "the secret")
    world.drain()
    world.state("", ANN)
    world.look()  # the access fields still let everybody through
    world.hint("1.md")
    with world.pause_at("look.after_read") as paused:
        look = world.start_worker(world.look_at_documents)
        paused.wait()
        world.write("1.md", "redacted", hint=False)  # and of this nobody tells
        world.state("", PUBLIC)
        world.look_at_folders()
        paused.release()
        assert look.result() == {LookOutcome.AGAIN: 1}
    answer = world.ask("secret", BOB)
    assert (answer.hits, answer.pending) == ((), 1)
    world.drain()
    assert world.visible_text("1.md", BOB) == "redacted"


def test_a_folder_never_looked_at_is_looked_at_before_its_documents(world: World) -> None:
    world.state("", PUBLIC)
    world.drain()
    world.tree.set_access("a", AccessRules(Policy(PolicyKind.STATED, frozenset({ANN}))))
    world.write("a/1.md", "apples")  # the only hint that came
    world.look_at_documents()
    world.index()
    assert world.ask("apples", BOB).hits == ()
    world.drain()
    assert world.ask("apples", BOB).hits == ()
    assert world.visible_text("a/1.md", ANN) == "apples"
