"""A question as clauses of a full-text expression."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ingest.adapters.sqlite_fts.question_words import Word, words_of
from ingest.adapters.words import STOP_WORDS, Question, pairs

_SEPARATOR = re.compile(r"[\W_]")


@dataclass(frozen=True, slots=True)
class Clause:
    """One alternative of a question, as FTS5 writes it. It matches at most as many rows as the rarest of `stems`
    stands in; without stems, few."""

    expression: str
    stems: tuple[str, ...]


def clauses(question: Question) -> tuple[Clause, ...]:
    """The alternatives of a question, each once: words, phrases of what is written together, codes, pairs."""
    made = [clause for piece, words in zip(question.pieces, words_of(question.pieces), strict=True)
            for clause in _of_piece(piece, words)]  # fmt: skip
    made += [clause for run in question.runs for clause in _of_run(run)]
    return tuple(dict.fromkeys(made))


def code_word(code: str) -> str:
    """A code as one word that no tokenizer splits and no stemmer touches: PAY-042 is pay0420."""
    return f"{_SEPARATOR.sub('', code).lower()}0"


def any_of(alternatives: Iterable[Clause]) -> str:
    """The expression that matches rows with any of the alternatives."""
    return " OR ".join(clause.expression for clause in alternatives)


def selective(alternatives: Iterable[Clause], rows: Mapping[str, int], most: float) -> tuple[Clause, ...]:
    """Those alternatives that can match at most `most` rows; if none is so rare, the two rarest.

    `rows` says in how many rows each stem stands. A clause with a stem that stands nowhere matches nothing and is
    left out before that choice: else an unknown word would push out the frequent ones that are all there is.
    """
    reach = {clause: min((rows[stem] for stem in clause.stems), default=1) for clause in alternatives}
    matching = sorted((clause for clause in reach if reach[clause]), key=reach.__getitem__)
    return tuple(clause for clause in matching if reach[clause] <= most) or tuple(matching[:2])


def _of_piece(piece: str, words: list[Word]) -> Iterator[Clause]:
    several = len(words) > 1
    for word in words:
        if not (several and (word.plain in STOP_WORDS or _is_letter(word.plain))):
            yield Clause(f"{{text heading}} : {_quoted(word.plain)}", (word.stem,))
    if several:
        phrase = " ".join(word.plain for word in words)
        yield Clause(f"{{text heading}} : {_quoted(phrase)}", tuple(word.stem for word in words))
    if any(character.isdigit() for character in piece):
        code = code_word(piece)
        yield Clause(f"codes : {_quoted(code)}", ())


def _of_run(run: str) -> Iterator[Clause]:
    if len(run) == 1:
        yield Clause(f"cjk : {_quoted(run)} *", ())
    for pair in pairs(run)[:-1]:
        yield Clause(f"cjk : {_quoted(pair)}", (pair,))


def _is_letter(word: str) -> bool:
    return len(word) == 1 and word.isascii() and word.isalpha()


def _quoted(words: str) -> str:
    return '"' + words.replace('"', '""') + '"'
