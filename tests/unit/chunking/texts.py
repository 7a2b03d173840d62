"""Texts and checks that chunking tests share."""

import random
import re

from ingest.chunking.chunker import Chunker, Media
from ingest.chunking.words import model_input
from ingest.model.chunk import Passage
from ingest.ports import TokenCounter

_WORDS = "payment order refund customer service error retry window shipping warranty terminal network the of and to is"
_VOCABULARY = re.findall(r"\w+", _WORDS)


def seeded(seed: int) -> random.Random:
    """Chance that repeats itself."""
    return random.Random(seed)


def words(rng: random.Random, count: int) -> str:
    return " ".join(rng.choice(_VOCABULARY) for _ in range(count))


def paragraph(rng: random.Random) -> str:
    """Sentences of 15 to 110 words in all."""
    left, sentences = rng.randint(15, 110), []
    while left > 0:
        length = min(left, rng.randint(5, 18))
        sentences.append(words(rng, length).capitalize() + ".")
        left -= length
    return " ".join(sentences)


def squeezed(text: str) -> str:
    """The non-blank characters of a text."""
    return "".join(text.split())


def assert_within_limit(passages: tuple[Passage, ...], tokens: TokenCounter, prompt: str = "") -> None:
    for passage in passages:
        assert tokens.count(model_input(prompt, passage)) <= tokens.limit


def texts_of(chunker: Chunker, text: str, media: Media = "markdown") -> list[str]:
    return [passage.text for passage in chunker.passages(text, media=media)]
