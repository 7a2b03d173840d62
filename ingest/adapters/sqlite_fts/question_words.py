"""A question's words exactly as the index's tokenizer sees them."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from ingest.adapters.sqlite_fts import schema, statements


@dataclass(frozen=True, slots=True)
class Word:
    """A word as written, without accents, and its stem as the index has it."""

    plain: str
    stem: str


def words_of(pieces: Sequence[str]) -> list[list[Word]]:
    """The words of each piece; none where the tokenizer sees none.

    Runs the tokenizer itself on a database in memory (0.7 ms): FTS5 has no call for it, and one of our own would
    differ in some corner of Unicode.
    """
    found: list[list[Word]] = [[] for _ in pieces]
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for statement in schema.QUESTION_SCHEMA:
            connection.execute(statement)
        for statement in statements.INSERT_PIECE:
            connection.executemany(statement, enumerate(pieces))
        for number, plain, stem in connection.execute(statements.READ_WORDS):
            found[number].append(Word(plain, stem))
    return found
