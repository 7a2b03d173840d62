"""F33: access changes without a change of content reach every record of both stores, and hold at once."""

import pytest

from ingest.adapters.memory.faults import Fault
from ingest.errors import StoreUnavailable
from ingest.model.access import AccessRules, DocumentRule, Policy, PolicyKind
from tests.world import ANN, BOB, PUBLIC, RED, World


def stated(*allow: object) -> Policy:
    return Policy(PolicyKind.STATED, frozenset(allow))  # type: ignore[arg-type]


@pytest.fixture
def world(sqlite_world: World) -> World:
    """Two chunks in a folder under a root for everybody."""
    sqlite_world.state("", PUBLIC)
    sqlite_world.write("a/1.md", "apples\n\npears")
    sqlite_world.drain()
    return sqlite_world


def carried(world: World) -> set[str]:
    """The access fields of every record in both stores."""
    stored = [*world.lexical.ids(after=None, limit=100), *world.vector.ids(after=None, limit=100)]
    assert len(stored) == 2 * len(world.open_records())
    return {record.access.digest for record in stored}


def in_step(world: World) -> None:
    """Every record carries the same, nothing was embedded or written anew, and the audit says so."""
    assert len(carried(world)) == 1
    assert len(world.record_rows()) == 2
    assert world.audit().clean


CHANGES = [
    pytest.param(stated(PUBLIC), stated(ANN), id="public to private"),
    pytest.param(stated(RED, ANN), stated(ANN), id="a group removed"),
    pytest.param(stated(ANN, BOB), stated(ANN), id="a user removed"),
    pytest.param(stated(ANN, BOB), Policy(PolicyKind.STATED, frozenset({ANN, BOB}), frozenset({BOB})), id="denied"),
    pytest.param(Policy(), stated(ANN), id="inherited to stated"),
]


@pytest.mark.parametrize(("before", "after"), CHANGES)
def test_a_narrowing_holds_once_it_was_looked_at_and_a_widening_too(
    world: World, before: Policy, after: Policy
) -> None:
    """F33: there and back; the outsider gets nothing before the fields have followed."""
    world.join(BOB, RED)
    world.access("a", AccessRules(before))
    world.drain()
    asked = world.model.inputs
    assert world.visible_text("a/1.md", BOB) == "apples\n\npears"
    world.access("a", AccessRules(after))
    world.look()
    answer = world.ask("apples", BOB)
    assert (answer.hits, answer.pending) == ((), 0)
    world.drain()
    in_step(world)
    assert world.visible_text("a/1.md", BOB) == ""
    assert world.visible_text("a/1.md", ANN) == "apples\n\npears"
    world.access("a", AccessRules(before))
    world.drain()
    in_step(world)
    assert world.visible_text("a/1.md", BOB) == "apples\n\npears"
    assert world.model.inputs - asked == 5  # the questions


def test_a_document_that_loses_the_public_one_of_two_rules_is_no_longer_public(world: World) -> None:
    """F33: the folder's rule and one of its own."""
    own = {"1.md": DocumentRule(stated(PUBLIC))}
    world.access("a", AccessRules(stated(ANN), documents=own))
    world.drain()
    assert world.visible_text("a/1.md", BOB) == "apples\n\npears"
    world.access("a", AccessRules(stated(ANN)))
    world.look()
    assert world.visible_text("a/1.md", BOB) == ""
    world.drain()
    in_step(world)
    assert world.visible_text("a/1.md", ANN) == "apples\n\npears"


@pytest.mark.parametrize("applied", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("store", ["lexical", "vector"])
def test_a_patch_that_fails_in_one_store_is_made_up_for(world: World, store: str, applied: float) -> None:
    """F33: nobody who was removed sees anything meanwhile, and both stores agree in the end."""
    getattr(world, store).faults.fail_next("patch_access", Fault(applied=applied))
    world.state("a", ANN)
    world.look()
    with pytest.raises(StoreUnavailable):
        world.patch_access()
    assert world.visible_text("a/1.md", BOB) == ""
    world.age(10)
    world.drain()
    in_step(world)
    assert world.visible_text("a/1.md", ANN) == "apples\n\npears"


def test_a_change_far_up_reaches_documents_of_every_folder_below_in_pages(world: World) -> None:
    """F33: more documents than a page, in folders of three levels."""
    for number in range(8):
        world.write(f"a/b{number % 2}/c/{number}.md", f"plums {number}")
    world.drain()
    world.state("", ANN)
    world.look()
    assert world.ask("plums", BOB).hits == ()
    world.drain()
    assert len(carried(world)) == 1
    assert world.audit().clean
    assert len(world.ask("plums", ANN, limit=20).hits) == 10


def test_documents_with_access_of_their_own_cost_no_patch_when_their_folder_changes(world: World) -> None:
    """F33: what a document states itself is not touched by its folder's change."""
    world.access("a", AccessRules(stated(ANN), documents={"1.md": DocumentRule(stated(BOB))}))
    world.drain()
    patches = world.lexical.faults.calls["patch_access"]
    world.access("a", AccessRules(stated(ANN, RED), documents={"1.md": DocumentRule(stated(BOB))}))
    world.drain()
    assert world.lexical.faults.calls["patch_access"] == patches
    assert world.audit().clean
