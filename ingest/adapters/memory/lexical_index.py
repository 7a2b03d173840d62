"""A lexical index in memory, for tests: searches see only what was refreshed."""

from collections.abc import Mapping, Sequence

from ingest.adapters.memory.index import MemoryIndex, best
from ingest.adapters.memory.ranking import asked_words, scores, weighted
from ingest.adapters.words import read_question
from ingest.model.principal import Principal
from ingest.model.record import Candidate, Filters, Record, RecordId


class MemoryLexicalIndex(MemoryIndex):
    """BM25 and codes over records in memory; neither fast nor stemming."""

    def add(self, records: Sequence[Record], *, findable: bool) -> Mapping[RecordId, str]:
        """See `LexicalIndex.add`."""
        return self._insert(records, findable=findable)

    def search(
        self, question: str, *, caller: frozenset[Principal], filters: Filters, limit: int
    ) -> Sequence[Candidate]:
        """See `LexicalIndex.search`."""
        with self._lock:
            self._commit("search")
            admitted = self._admitted(caller, filters)
            counted = {id_: weighted(record) for id_, record in self._searchable.items()}
        scored = scores(asked_words(read_question(question)), counted)
        return best({id_: score for id_, score in scored.items() if id_ in admitted}, limit)

    def with_codes(
        self, codes: Sequence[str], *, caller: frozenset[Principal], filters: Filters, limit: int
    ) -> Sequence[Candidate]:
        """See `LexicalIndex.with_codes`."""
        with self._lock:
            self._commit("with_codes")
            admitted = self._admitted(caller, filters)
        wanted = {code.upper() for code in codes}
        shared = {id_: len(wanted.intersection(map(str.upper, r.codes))) for id_, r in admitted.items()}
        return best({id_: float(number) for id_, number in shared.items() if number}, limit)
