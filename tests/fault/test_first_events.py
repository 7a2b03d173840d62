"""DESIGN §10: events that arrive at one moment, about what nobody knew before, or twice."""

import pytest

from ingest.errors import Refused
from ingest.model.event import DocumentHint, Event, FolderHint
from tests.fault import guards_accept as accept
from tests.fault.rig import guarded_by, held
from tests.world import BOB, PUBLIC, RED, World

REFUSED = "an event that came at the same moment"


def at_once(world: World, first: Event, second: Event, ids: tuple[str, str]) -> list[object]:
    """Accept two events, the second while the first is not committed: what each returned, or ended with."""
    with held(world, "accept.before_commit", lambda: world.accept(first, ids=ids[:1])) as one:
        other = world.start_worker(lambda: world.accept(second, ids=ids[1:]), "second")
        world.until_blocked(other)
    other.wait()
    return [one.result(), other.error or other.result()]


@guarded_by(accept.expecting_a_row_that_somebody_else_makes, harm=REFUSED)
def test_two_events_about_one_unknown_document_make_one_row(postgres_world: World) -> None:
    world = postgres_world
    world.state("", PUBLIC)
    world.write("a/b/1.md", "apples", hint=False)
    hint = DocumentHint("a/b/1.md")
    assert at_once(world, hint, hint, ("one", "two")) == [1, 1], REFUSED
    world.drain()
    assert world.live_documents() == 1
    assert world.visible_text("a/b/1.md") == "apples"


@guarded_by(accept.expecting_a_row_that_somebody_else_makes, harm=REFUSED)
def test_an_access_event_before_its_document(postgres_world: World) -> None:
    """Both make the folder; whichever comes first, the folder is one and its access file is read first."""
    world = postgres_world
    world.state("", PUBLIC)
    world.write("a/1.md", "apples", hint=False)
    world.state("a", RED, hint=False)
    assert at_once(world, FolderHint("a"), DocumentHint("a/1.md"), ("one", "two")) == [1, 1], REFUSED
    assert world.look_at_documents() == {"again": 1}
    world.drain()
    world.join(BOB, RED)
    assert world.visible_text("a/1.md") == ""
    assert world.visible_text("a/1.md", BOB) == "apples"


@pytest.mark.parametrize("event", [DocumentHint("a/1.md"), FolderHint("a")], ids=["document", "folder"])
def test_an_event_that_is_sent_twice_at_one_moment_is_new_once(postgres_world: World, event: Event) -> None:
    world = postgres_world
    world.state("a", PUBLIC)
    world.write("a/1.md", "apples")
    world.drain()
    assert at_once(world, event, event, ("same", "same")) == [1, 0]
    world.drain()
    assert world.visible_text("a/1.md") == "apples"


def test_one_event_id_with_two_bodies_at_one_moment_is_refused(postgres_world: World) -> None:
    world = postgres_world
    world.state("a", PUBLIC)
    world.drain()
    first, second = at_once(world, FolderHint("a"), FolderHint("b"), ("same", "same"))
    assert first == 1
    assert isinstance(second, Refused)


@guarded_by(accept.asking_for_known_events_after_the_lock, harm="pending, for ever")
def test_an_event_whose_repetition_was_under_way_hides_nothing_for_ever(postgres_world: World) -> None:
    world = postgres_world
    world.state("a", RED)
    world.write("a/1.md", "apples")
    world.drain()

    def send() -> int:
        return world.accept(DocumentHint("a/1.md"), ids=("same",))

    with held(world, "accept.after_known", send):
        send()
        world.drain()
    world.drain()
    world.join(BOB, RED)
    assert world.visible_text("a/1.md", BOB) == "apples", "pending, for ever"


@guarded_by(accept.leaving_out_known_events, harm="pending, for ever")
def test_an_event_that_comes_again_after_its_look_hides_nothing_for_ever(world: World) -> None:
    world.state("a", RED)
    world.write("a/1.md", "apples")
    world.drain()
    for _ in range(2):
        world.accept(DocumentHint("a/1.md"), ids=("same",))
        world.drain()
    world.join(BOB, RED)
    assert world.visible_text("a/1.md", BOB) == "apples", "pending, for ever"


@guarded_by(accept.locking_documents_before_indexing_rows, harm="each has what the other waits for")
def test_a_change_accepted_while_a_look_stores_waits_for_the_document_first(postgres_world: World) -> None:
    world = postgres_world
    world.state("", PUBLIC)
    world.write("1.md", "apples")
    world.drain()
    world.write("1.md", "pears")
    with held(world, "look.after_compare", world.look_at_documents) as look:  # it has the document
        change = world.start_worker(lambda: world.write("1.md", "plums"), "accept")
        world.until_blocked(change)
        look.release()
        look.worker.wait()
        change.wait()
        assert (look.worker.error, change.error) == (None, None), "each has what the other waits for"
    world.drain()
    assert world.visible_text("1.md") == "plums"
