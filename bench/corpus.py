"""A made-up body of documents: as many as wanted, always the same, each section one chunk of 60 words."""

import os
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

SAMPLE = Path(__file__).parents[1] / "deploy" / "sample" / "documents"
_WORDS_IN_SECTION = 60
_DOCUMENTS_IN_FOLDER = 100
_RARE_WORDS = 10_000
_HOUR_S = 3_600.0

_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]


def _vocabulary() -> list[str]:
    """Words of the sample corpus, the frequent ones first, and made-up ones as a long tail: so a paragraph has about as
    many tokens as one of natural text."""
    pages = (path.read_text() for path in SAMPLE.rglob("*.md"))
    counted = Counter(word for page in pages for word in re.findall(r"[a-z]+", page.lower()))
    chosen = random.Random(1)  # noqa: S311 -- the same in every run
    rare = ("".join(chosen.choices(_SYLLABLES, k=chosen.choice((2, 2, 3)))) for _ in range(_RARE_WORDS))
    return [*(word for word, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))), *rare]


class Corpus:
    """Documents numbered from 0 in a directory tree; words are as unevenly frequent as those of a language."""

    def __init__(self, root: Path, *, sections: int = 10) -> None:
        """Each section is one chunk."""
        self.root = root
        self.sections = sections
        self._words = _vocabulary()
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(len(self._words))))
        self._random = random.Random(2)  # noqa: S311 -- the same in every run
        self.documents = 0

    def grow(self, chunks: int) -> Iterator[int]:
        """Write documents until there are so many chunks; gives how many a document brought."""
        while self.documents * self.sections < chunks:
            path = self.path(self.documents)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self._document(self.documents))
            old = time.time() - _HOUR_S  # a scan looks again at files that changed within 2 s of their look
            os.utime(path, (old, old))
            self.documents += 1
            yield self.sections

    def key(self, number: int) -> str:
        """The key of a document."""
        return f"folder{number // _DOCUMENTS_IN_FOLDER:03}/document{number:05}.md"

    def path(self, number: int) -> Path:
        """Its file."""
        return self.root / self.key(number)

    def some(self) -> int:
        """A document, by chance."""
        return self._random.randrange(self.documents)

    def edited(self, number: int, marker: str) -> str:
        """The text of a document with the paragraph of one section rewritten; the new one holds `marker`."""
        sections = self.path(number).read_text().split("\n\n## ")
        at = self._random.randrange(1, len(sections))
        heading = sections[at].partition("\n")[0]
        sections[at] = f"{heading}\n\n{self._paragraph()} {marker}."
        return "\n\n## ".join(sections).rstrip("\n") + "\n"

    def _document(self, number: int) -> str:
        sections = [f"## {' '.join(self._some_words(3))}\n\n{self._paragraph()}" for _ in range(self.sections)]
        return "\n\n".join([f"# Document {number}", *sections]) + "\n"

    def _paragraph(self) -> str:
        words = self._some_words(_WORDS_IN_SECTION)
        sentences = [" ".join(words[start : start + 12]) for start in range(0, len(words), 12)]
        return ". ".join(sentences) + "."

    def _some_words(self, number: int) -> list[str]:
        return self._random.choices(self._words, cum_weights=self._weights, k=number)
