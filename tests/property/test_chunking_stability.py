"""Forced cuts stay put: an edit of one paragraph adds about one passage, wherever it stands (FACTS §9)."""

import random
import statistics
from collections import Counter
from collections.abc import Callable

import pytest

from ingest.chunking.chunker import Chunker
from tests.unit.chunking.counters import WordCounter, minilm_counter
from tests.unit.chunking.texts import paragraph, seeded, words

Maker = Callable[[random.Random], str]
Shape = tuple[Maker, str]
"""How one part is made, and what stands between two."""

PARAGRAPHS: Shape = (paragraph, "\n\n")


def edited(parts: list[str], rng: random.Random, make: Maker) -> list[str]:
    """One insert, delete or edit of one part at random."""
    at = rng.randrange(len(parts))
    keep_after, new = rng.choice([(0, 1), (1, 1), (1, 0)])
    return [*parts[:at], *([make(rng)] if new else []), *parts[at + keep_after :]]


def passages_added(chunker: Chunker, shape: Shape, length: int, *, edits: int, texts: int) -> list[int]:
    (make, join), added = shape, []
    for seed in range(texts):
        rng = seeded(seed)
        parts = [make(rng) for _ in range(length)]
        before = shown(chunker, join.join(parts))
        for _ in range(edits):
            parts = edited(parts, rng, make)
            after = shown(chunker, join.join(parts))
            added.append((after - before).total())
            before = after
    return sorted(added)


def shown(chunker: Chunker, text: str) -> Counter[str]:
    return Counter(passage.shown for passage in chunker.passages(f"# H\n\n{text}\n", media="markdown"))


def assert_stable(added: list[int]) -> None:
    assert statistics.median(added) <= 1
    assert added[int(0.95 * len(added))] <= 3


@pytest.mark.parametrize(("length", "edits", "texts"), [(20, 100, 6), (200, 60, 4)])
def test_an_edit_of_one_paragraph_adds_one_passage_and_seldom_more_than_three(
    length: int, edits: int, texts: int
) -> None:
    chunker = Chunker(WordCounter(256), "")
    assert_stable(passages_added(chunker, PARAGRAPHS, length, edits=edits, texts=texts))


def test_it_holds_with_the_tokens_of_the_default_model() -> None:
    assert_stable(passages_added(Chunker(minilm_counter(), ""), PARAGRAPHS, 20, edits=60, texts=3))


SHAPES: dict[str, Shape] = {
    "sentences": (lambda rng: words(rng, rng.randint(5, 18)).capitalize() + ".", " "),
    "items": (lambda rng: f"- {words(rng, rng.randint(3, 40))}", "\n"),
    "words of one line": (lambda rng: words(rng, rng.randint(1, 9)), " "),
    "code": (lambda rng: "    " + words(rng, rng.randint(1, 9)), "\n"),
    "han": (lambda rng: "".join(chr(rng.randint(0x4E00, 0x9000)) for _ in range(rng.randint(2, 30))), ""),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_it_holds_inside_a_block_too(shape: str) -> None:
    chunker = Chunker(minilm_counter() if shape == "han" else WordCounter(256), "")
    assert_stable(passages_added(chunker, SHAPES[shape], 200, edits=50, texts=2))
