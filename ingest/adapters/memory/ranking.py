"""BM25 over a handful of records, in plain Python."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from ingest.adapters.words import Question, normalised, pairs, without_runs
from ingest.model.record import Record, RecordId

HEADING_WEIGHT = 2
K1, B = 1.2, 0.75
_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """Words without regard to case; where a script has no spaces, characters and pairs of them."""
    plain = normalised(text).lower()
    paired = pairs(plain)
    return [*_WORD.findall(without_runs(plain)), *(pair[0] for pair in paired), *(pair for pair in paired if pair[1:])]


def asked_words(question: Question) -> list[str]:
    """The words that a record may have to be found; a single character only where nothing stands beside it."""
    of_runs = [pair for run in question.runs for pair in (pairs(run)[:-1] or [run])]
    return [*words(" ".join(question.pieces)), *of_runs]


@lru_cache(maxsize=20_000)
def weighted(record: Record) -> Counter[str]:
    """How often each word counts in a record: those of its headings twice, those of its codes once more."""
    counted = Counter(words(record.text))
    for word in words(" ".join(record.heading_path)):
        counted[word] += HEADING_WEIGHT
    counted.update(word for code in record.codes for word in words(code))
    return counted


def scores(asked: Sequence[str], records: Mapping[RecordId, Counter[str]]) -> dict[RecordId, float]:
    """The BM25 score of every record that has one of the words."""
    lengths = {id_: counted.total() for id_, counted in records.items()}
    average = sum(lengths.values()) / max(1, len(records)) or 1.0
    scored: dict[RecordId, float] = {}
    for word in dict.fromkeys(asked):
        having = {id_: counted[word] for id_, counted in records.items() if counted[word]}
        rarity = math.log(1 + (len(records) - len(having) + 0.5) / (len(having) + 0.5))
        for id_, often in having.items():
            damped = often * (K1 + 1) / (often + K1 * (1 - B + B * lengths[id_] / average))
            scored[id_] = scored.get(id_, 0.0) + rarity * damped
    return scored
