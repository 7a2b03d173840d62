"""F36: a reader who may see little gets it, however much that others may see stands nearer."""

import pytest

from tests.world import ANN, BOB, PUBLIC, World

NEARER = 300
FARTHER = 20


def paragraphs(text: str, number: int) -> str:
    return "\n\n".join(f"{text} {n}" for n in range(number))


@pytest.fixture
def world(sqlite_world: World) -> World:
    """Three hundred chunks near the question for ann, twenty farther away for bob."""
    sqlite_world.state("ann", ANN)
    sqlite_world.state("bob", BOB)
    sqlite_world.write("ann/1.md", paragraphs("red apples", NEARER))
    sqlite_world.write("bob/1.md", paragraphs("apples and other fruit that is not red", FARTHER))
    sqlite_world.drain()
    return sqlite_world


@pytest.mark.parametrize("limit", [1, 10, FARTHER])
def test_a_reader_of_few_gets_as_many_as_asked_for(world: World, limit: int) -> None:
    """F36: the filter is inside both searches."""
    answer = world.ask("red apples", BOB, limit=limit)
    assert len(answer.hits) == limit
    assert not answer.truncated
    assert {hit.document for hit in answer.hits} == {"bob/1.md"}


def test_what_is_found_is_what_an_exact_comparison_finds(world: World) -> None:
    """F36: the best ten of bob's are those that he would get if nothing else were there."""
    before = [hit.text for hit in world.ask("red apples", BOB).hits]
    world.remove("ann/1.md")
    world.drain()
    world.age(100)
    world.vacuum()
    world.age(100)
    world.vacuum()
    assert {hit.text for hit in world.ask("red apples", BOB).hits} == set(before)


def test_a_reader_of_one_document_gets_it(world: World) -> None:
    """F36: one chunk in three hundred."""
    world.write("bob/1.md", "apples at last")
    world.drain()
    answer = world.ask("red apples", BOB)
    assert [hit.text for hit in answer.hits] == ["apples at last"]
    assert not answer.truncated


def test_fields_that_have_not_followed_yet_are_asked_past(world: World) -> None:
    """F36: the prefilter still lets hundreds through that the decision leaves out; deeper search finds the rest."""
    world.state("ann", PUBLIC)
    world.drain()
    world.state("ann", ANN)
    world.look()
    answer = world.ask("red apples", BOB, limit=FARTHER)
    assert len(answer.hits) == FARTHER
    assert {hit.document for hit in answer.hits} == {"bob/1.md"}


def test_an_answer_that_could_not_go_deep_enough_says_so(world: World) -> None:
    """F36: more candidates than may ever be asked for are left out."""
    world.state("ann", PUBLIC)
    world.write("ann/2.md", paragraphs("red apples again", 3 * NEARER))
    world.drain()
    world.state("ann", ANN)
    world.look()
    answer = world.ask("red apples", BOB, limit=FARTHER)
    assert len(answer.hits) < FARTHER
    assert answer.truncated
