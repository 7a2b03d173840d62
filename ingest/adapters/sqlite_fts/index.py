"""The embedded lexical index."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from sqlite3 import Connection

from ingest.adapters.sqlite_fts import rows, statements
from ingest.adapters.sqlite_fts.clauses import Clause, any_of, clauses, selective
from ingest.adapters.sqlite_fts.connections import Connections
from ingest.adapters.sqlite_fts.errors import translated
from ingest.adapters.sqlite_fts.frequency import Frequency
from ingest.adapters.sqlite_fts.settings import SqliteFtsSettings
from ingest.adapters.words import read_question
from ingest.model.access import Access
from ingest.model.principal import Principal
from ingest.model.record import Candidate, Filters, Record, RecordId, StoredRecord


class SqliteFtsIndex:
    """BM25 and codes in one SQLite file.

    What was added is synced to disk and found by searches when the call returns, `findable` or not: `refresh` and
    `flush` have nothing to do. Calls wait for each other only to write. `path` gets `-wal` and `-shm` beside it.
    """

    def __init__(self, path: Path, *, settings: SqliteFtsSettings | None = None) -> None:
        self._path = path
        self._settings = settings or SqliteFtsSettings()
        self._connections = Connections(path, self._settings)
        self._frequency = Frequency()

    def create(self) -> None:
        """See `Index.create`."""
        with translated(self._path):
            self._connections.make()

    def drop(self) -> None:
        """See `Index.drop`. Raises ForeignIndex when something else is at the path."""
        if not self._path.exists():
            return
        self.create()  # refuses what is not ours
        self.close()
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def add(self, records: Sequence[Record], *, findable: bool) -> Mapping[RecordId, str]:
        """See `LexicalIndex.add`. One transaction: an error means that none of the records was added."""
        del findable
        refused = {record.id: reason for record in records if (reason := rows.unstorable(record))}
        with translated(self._path), self._connections.writing() as connection:
            new = sum(rows.insert(connection, record) for record in records if record.id not in refused)
        self._frequency.changed(new)
        return refused

    def search(
        self, question: str, *, caller: frozenset[Principal], filters: Filters, limit: int
    ) -> Sequence[Candidate]:
        """See `LexicalIndex.search`."""
        alternatives = clauses(read_question(question))
        parameters = rows.admission(caller, filters) | self._weights() | {"limit": limit}
        with translated(self._path), self._connections.reading() as connection:
            chosen = self._selective(connection, alternatives)
            found = _matches(connection, chosen, parameters)
            if len(found) < min(limit, self._settings.enough) and len(chosen) < len(alternatives):
                found = _matches(connection, alternatives, parameters)
        return [Candidate(RecordId(id_), score) for id_, score in found]

    def with_codes(
        self, codes: Sequence[str], *, caller: frozenset[Principal], filters: Filters, limit: int
    ) -> Sequence[Candidate]:
        """See `LexicalIndex.with_codes`."""
        wanted = {"codes": rows.listed([code.upper() for code in codes]), "limit": limit}
        with translated(self._path), self._connections.reading() as connection:
            found = connection.execute(statements.WITH_CODES, rows.admission(caller, filters) | wanted).fetchall()
        return [Candidate(RecordId(id_), float(number)) for id_, number in found]

    def refresh(self) -> None:
        """Nothing to do: searches see what was committed."""

    def patch_access(self, changes: Mapping[RecordId, Access]) -> Collection[RecordId]:
        """See `Index.patch_access`. One transaction: an error means that nothing was patched."""
        with translated(self._path), self._connections.writing() as connection:
            return [id_ for id_, access in changes.items() if not _patch(connection, id_, access)]

    def delete(self, ids: Collection[RecordId]) -> None:
        """See `Index.delete`."""
        if not ids:
            raise ValueError("no ids to delete: an empty list is refused")
        with translated(self._path), self._connections.writing() as connection:
            rowids = [rowid for (rowid,) in connection.execute(statements.ROWIDS_OF, (rows.listed(list(ids)),))]
            for statement in (statements.DELETE_TEXTS, statements.DELETE_CODES, statements.DELETE_RECORDS):
                connection.execute(statement, (rows.listed(rowids),))
        self._frequency.changed(-len(rowids))

    def ids(self, *, after: RecordId | None, limit: int) -> Sequence[StoredRecord]:
        """See `Index.ids`."""
        with translated(self._path), self._connections.reading() as connection:
            return [rows.stored(*row) for row in connection.execute(statements.PAGE, (after or "", limit))]

    def fetch(self, ids: Collection[RecordId]) -> Mapping[RecordId, StoredRecord]:
        """See `Index.fetch`."""
        with translated(self._path), self._connections.reading() as connection:
            found = (rows.stored(*row) for row in connection.execute(statements.FETCH, (rows.listed(list(ids)),)))
            return {record.id: record for record in found}

    def flush(self) -> None:
        """Nothing to do: every commit is synced."""

    def compact(self) -> bool:
        """See `Index.compact`. False when a reader kept old pages in the write-ahead log: call again."""
        with translated(self._path):
            with self._connections.writing() as connection:
                for statement in (*statements.UNUSED_ACCESS, *statements.UNUSED_FACETS, statements.OPTIMIZE):
                    connection.execute(statement)
            with self._connections.alone() as connection:
                connection.execute(statements.VACUUM)
                (busy, *_) = connection.execute(statements.CHECKPOINT).fetchone()
        self._frequency.forget()
        return not busy

    def close(self) -> None:
        """See `Index.close`. A later call opens the file again."""
        with translated(self._path):
            self._connections.close()
        self._frequency.forget()

    def _weights(self) -> dict[str, float]:
        heading, code = self._settings.heading_weight, self._settings.code_weight
        return {"text_weight": 1.0, "heading_weight": heading, "code_weight": code, "cjk_weight": 1.0}

    def _selective(self, connection: Connection, alternatives: Sequence[Clause]) -> Sequence[Clause]:
        """The alternatives without frequent words, in an index large enough for that to matter."""
        total = self._frequency.total(connection)
        if total < self._settings.frequent_from_rows:
            return alternatives
        stems = {stem for clause in alternatives for stem in clause.stems}
        return selective(alternatives, self._frequency.rows(connection, stems), self._settings.frequent_share * total)


def _matches(
    connection: Connection, alternatives: Sequence[Clause], parameters: Mapping[str, object]
) -> list[tuple[str, float]]:
    if not alternatives:
        return []
    return connection.execute(statements.SEARCH, {**parameters, "expression": any_of(alternatives)}).fetchall()


def _patch(connection: Connection, id_: RecordId, access: Access) -> bool:
    number = rows.access_set(connection, access)
    return connection.execute(statements.PATCH_ACCESS, (number, id_)).fetchone() is not None
