"""DESIGN §10: looks against revocations, deletes, metadata, and content that changes with access."""

from ingest.catalog import contents, documents, policies
from ingest.indexing.look import LookOutcome
from ingest.model.access import AccessRules, Policy, PolicyKind
from tests.fault import guards_access as access
from tests.fault.rig import guarded_by
from tests.world import ANN, BOB, PUBLIC, World

CLOSED = Policy(PolicyKind.STATED)


@guarded_by(access.comparing_the_folders_revision, harm="by what was read before the revocation")
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
        look.wait()
    assert world.ask("apples", BOB).hits == (), "by what was read before the revocation"
    assert look.result() == {LookOutcome.AGAIN: 1}


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


@guarded_by(access.comparing_the_documents_revision, harm="kept after the delete")
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
        assert contents.load(tx, [document]) == {}, "kept after the delete"


@guarded_by(access.comparing_the_documents_revision, harm="opened by a look that began before")
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
        look.wait()
    assert world.visible_text("1.md", ANN) == "", "opened by a look that began before"
    assert look.result() == {LookOutcome.AGAIN: 1}


@guarded_by(access.comparing_the_revisions_of_folders_above, harm="one of them by the old metadata")
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
    assert {hit.document for hit in found} == {"a/1.md", "a/2.md"}, "one of them by the old metadata"
    assert world.ask("apples", filters={"category": frozenset({"old"})}).hits == ()


@guarded_by(access.hinting_at_what_changed_below, harm="the text from before the redaction")
def test_a_look_that_reads_while_content_and_access_change_shows_nobody_the_old_text(world: World) -> None:
    world.state("", PUBLIC)
    world.write("1.md", "the secret")
    world.drain()
    world.state("", ANN)
    world.look()  # the access fields still let everybody through
    with world.database.write() as tx:
        documents.make_due(tx, world.known_id("1.md"))  # a look that no event asked for
    with world.pause_at("look.after_read") as paused:
        look = world.start_worker(world.look_at_documents)
        paused.wait()
        world.write("1.md", "redacted", hint=False)  # and of this nobody tells
        world.state("", PUBLIC)
        world.look_at_folders()
        paused.release()
        assert look.result() == {LookOutcome.AGAIN: 1}
    answer = world.ask("secret", BOB)
    assert answer.hits == (), "the text from before the redaction"
    assert answer.pending == 1
    world.drain()
    assert world.visible_text("1.md", BOB) == "redacted"
