"""Records as rows: interned sets, and what of a text goes into which column."""

import json
import sqlite3
from collections.abc import Collection, Iterable

from ingest.adapters.sqlite_fts import statements
from ingest.adapters.sqlite_fts.clauses import code_word
from ingest.adapters.words import normalised, pairs, without_runs
from ingest.model.access import Access
from ingest.model.chunk import heading_line
from ingest.model.principal import Principal
from ingest.model.record import Filters, Record, RecordId, StoredRecord


def insert(connection: sqlite3.Connection, record: Record) -> bool:
    """Store a record unless its id is there; whether it was new."""
    sets = access_set(connection, record.access), facet_set(connection, record.metadata)
    new = connection.execute(statements.INSERT_RECORD, (record.id, record.document_id, *sets)).fetchone()
    if new is None:
        return False
    (rowid,) = new
    connection.execute(statements.INSERT_TEXT, (rowid, *_columns(record)))
    connection.executemany(statements.INSERT_CODE, ((code.upper(), rowid) for code in record.codes))
    return True


def unstorable(record: Record) -> str | None:
    """Why a record can never be stored, or None."""
    words = (record.id, *record.codes, *record.metadata, *record.access.allow, *record.access.deny)
    try:
        "".join(words).encode()
    except UnicodeEncodeError as error:
        return f"a code, a metadata value or a principal contains characters that are no text ({error.reason})"
    return None


def access_set(connection: sqlite3.Connection, access: Access) -> int:
    """The number of the set of these access fields, made if it is new."""
    fields = listed((sorted(access.allow), sorted(access.deny)))
    known = connection.execute(statements.FIND_ACCESS_SET, (fields,)).fetchone()
    if known is not None:
        return int(known[0])
    number = int(connection.execute(statements.INSERT_ACCESS_SET, (fields,)).fetchone()[0])
    words = [
        (principal, denies, number) for denies, group in enumerate((access.allow, access.deny)) for principal in group
    ]
    connection.executemany(statements.INSERT_ACCESS_WORD, words)
    return number


def facet_set(connection: sqlite3.Connection, metadata: Collection[str]) -> int:
    """The number of the set of these metadata words, made if it is new."""
    words = sorted(set(metadata))
    known = connection.execute(statements.FIND_FACET_SET, (listed(words),)).fetchone()
    if known is not None:
        return int(known[0])
    number = int(connection.execute(statements.INSERT_FACET_SET, (listed(words),)).fetchone()[0])
    connection.executemany(statements.INSERT_FACET_WORD, ((word, number) for word in words))
    return number


def stored(id_: str, fields: str) -> StoredRecord:
    """A row of the audit's statements as a value."""
    allow, deny = (frozenset(map(Principal, group)) for group in json.loads(fields))
    return StoredRecord(RecordId(id_), Access(allow, deny))


def admission(caller: Iterable[Principal], filters: Filters) -> dict[str, str]:
    """The parameters of who asks and of the metadata filters, for all searching statements."""
    wanted = [[f"{key}={value}" for value in sorted(values)] for key, values in filters.items()]
    return {"caller": listed(sorted(caller)), "filters": listed(wanted)}


def listed(values: object) -> str:
    """Values as the JSON array that statements take them in."""
    return json.dumps(values, ensure_ascii=True, separators=(",", ":"))


def _columns(record: Record) -> tuple[str, str, str, str]:
    text, heading = normalised(record.text), normalised(heading_line(record.heading_path))
    codes = " ".join(code_word(normalised(code)) for code in record.codes)
    return without_runs(text), without_runs(heading), codes, " ".join((*pairs(heading), *pairs(text)))
