"""The legs of a hybrid search: BM25, nearest vectors and exact codes, side by side, filters inside each."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from ingest.model.principal import Principal
from ingest.model.query import Question
from ingest.model.record import Candidate
from ingest.ports import FloatVector, LexicalIndex, VectorIndex
from ingest.retrieval.fusion import CODES

LEXICAL = "lexical"
VECTOR = "vector"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the stores get it: its vector, its codes, the caller with all groups."""

    question: Question
    vector: FloatVector
    codes: tuple[str, ...]
    caller: frozenset[Principal]


class Legs:
    """Asks the two stores of one generation at once. `only` names the legs to use; all by default."""

    def __init__(self, lexical: LexicalIndex, vector: VectorIndex, only: frozenset[str] | None = None) -> None:
        self._lexical = lexical
        self._vector = vector
        self._only = only
        self._threads = ThreadPoolExecutor(max_workers=12, thread_name_prefix="search")

    def close(self) -> None:
        """End the searching threads."""
        self._threads.shutdown()

    def search(self, asked: Asked, depth: int) -> Mapping[str, Sequence[Candidate]]:
        """The best `depth` candidates of every leg. Raises StoreUnavailable, GenerationGone."""
        filters = asked.question.filters
        calls: dict[str, Callable[[], Sequence[Candidate]]] = {
            LEXICAL: lambda: self._lexical.search(
                asked.question.text, caller=asked.caller, filters=filters, limit=depth
            ),
            VECTOR: lambda: self._vector.search(asked.vector, caller=asked.caller, filters=filters, limit=depth),
        }
        if asked.codes:
            calls[CODES] = lambda: self._lexical.with_codes(
                asked.codes, caller=asked.caller, filters=filters, limit=depth
            )
        running = {
            name: self._threads.submit(call) for name, call in calls.items() if self._only is None or name in self._only
        }
        return {name: future.result() for name, future in running.items()}
