"""Knobs of the embedded lexical index."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SqliteFtsSettings:
    """Weights multiply a word's count in BM25."""

    heading_weight: float = 2.0
    code_weight: float = 2.0
    busy_timeout_s: float = 5.0
    """How long a call waits for another process that writes to the file."""
    frequent_share: float = 0.10
    """A word in more than this share of the rows is left out while rarer words of the question remain."""
    enough: int = 10
    """With fewer hits than this (or than asked for), the words left out are asked for after all."""
    frequent_from_rows: int = 500
    """In a smaller index no word is left out."""
    largest_pages: int | None = None
    """The most pages (of 4,096 bytes) that the file may have; None for as many as the disk holds."""
