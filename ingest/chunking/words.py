"""Words too long for a tokenizer: broken in the embedding input, never in a passage's text."""

import re
import unicodedata

from ingest.model.chunk import Passage, embedding_input

LONGEST_WORD = 100
"""WordPiece turns a longer word into one unknown token, so that its content is lost to the model."""

_MOST_LETTERS_OF_ONE = 3  # a Hangul syllable becomes three letters before the tokenizer measures the word

# Whatever a BERT tokenizer ends a word at: spaces, ASCII punctuation, ideographs. Control characters and zero-width
# ones are left out on purpose: it deletes them and joins what stood around them. Kana, Thai and Hangul make words.
_WORD = (
    r"[^ \t\n\r\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000!-/:-@\[-`{-~"
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f]"
)
_LONG_WORD = re.compile(f"(?<!{_WORD}){_WORD}{{{LONGEST_WORD // _MOST_LETTERS_OF_ONE + 1},}}")


def break_points(text: str) -> tuple[int, ...]:
    """Offsets, ascending, at which a word of `text` has to be broken to stay within LONGEST_WORD letters."""
    return tuple(point for word in _LONG_WORD.finditer(text) for point in _points_in(text, word.start(), word.end()))


def break_long_words(text: str) -> str:
    """An embedding input whose words a tokenizer knows: spaces are put into longer ones. Doing it twice is harmless."""
    points = break_points(text)
    if not points:
        return text
    starts = (0, *points)
    return " ".join(text[start:end] for start, end in zip(starts, (*points, len(text)), strict=True))


def model_input(prompt: str, passage: Passage) -> str:
    """The exact string a model is given for a passage: its embedding input with long words broken."""
    return break_long_words(embedding_input(prompt, passage.embedded_path, passage.shown))


def _points_in(text: str, start: int, end: int) -> list[int]:
    points: list[int] = []
    letters = 0
    for at in range(start, end):
        letters_here = len(unicodedata.normalize("NFD", text[at]))
        if letters + letters_here > LONGEST_WORD and at > start:
            points.append(at)
            letters = 0
        letters += letters_here
    return points
