"""The words of texts and questions, as all lexical indexes take them.

Scripts without spaces (Han, kana, Hangul) are found by pairs of neighbouring characters; everything else is left to
the engine's own analysis.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

PAIRED: Final = (
    r"\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Characters of scripts that write no spaces, as the inside of a regular expression's character class."""

MOST_WORDS: Final = 128
"""Words that a question may have, each character of a script without spaces being one: OpenSearch allows 1,024
clauses, and a word makes one for each of several fields."""

_LUCENE = """a an and are as at be but by for if in into is it no not of on or such that the their then there these they
this to was will with"""
_ASKING = """am can could did do does had has have how i me my our should us we were what when where which who whom
whose why would you your"""
STOP_WORDS: Final = frozenset(f"{_LUCENE} {_ASKING}".split())
"""Words that say nothing about what is asked: those of Lucene's English analyzer, and those of questions."""

_RUN = re.compile(f"[{PAIRED}]+")
_WORD = re.compile(f"[{PAIRED}]|[^\\W{PAIRED}]+")
_EDGE = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True, slots=True)
class Question:
    """A question's distinct usable words in their order. `pieces` are as written, without the punctuation around
    them (`pay-042`, `don't`); `runs` are stretches of scripts without spaces."""

    pieces: tuple[str, ...]
    runs: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.pieces or self.runs)


def read_question(asked: str) -> Question:
    """Take a question apart. Stop words are left out, and what comes after MOST_WORDS words."""
    text = normalised(asked).lower()
    for number, word in enumerate(_WORD.finditer(text)):
        if number == MOST_WORDS:
            text = text[: word.start()]
            break
    pieces = (_EDGE.sub("", piece) for piece in without_runs(text).split())
    usable = (piece for piece in pieces if piece and piece not in STOP_WORDS)
    return Question(tuple(dict.fromkeys(usable)), tuple(dict.fromkeys(_RUN.findall(text))))


def normalised(text: str) -> str:
    """The text with compatible forms made one (full-width letters, ligatures, composed accents); what cannot be
    encoded becomes `?`."""
    return unicodedata.normalize("NFKC", text).encode("utf-8", "replace").decode()


def without_runs(text: str) -> str:
    """The text with a space for every stretch of a script without spaces."""
    return _RUN.sub(" ", text)


def pairs(text: str) -> tuple[str, ...]:
    """Neighbouring characters of every stretch, and its last character alone, so that each character begins a pair."""
    return tuple(run[at : at + 2] for run in _RUN.findall(text) for at in range(len(run)))
