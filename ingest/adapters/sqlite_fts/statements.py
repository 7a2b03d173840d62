"""Every statement of the embedded lexical index. Values are always parameters; lists go in as one JSON array."""

from typing import Final

# --- writing: each runs inside the one transaction of its call, under the file's single write lock -------------------

# Insert a record unless its id is there; gives the new rowid, or no row.
INSERT_RECORD: Final = """
INSERT INTO rec (id, document_id, access_set, facet_set) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING rowid
"""
INSERT_TEXT: Final = "INSERT INTO fts (rowid, text, heading, codes, cjk) VALUES (?, ?, ?, ?, ?)"
INSERT_CODE: Final = "INSERT OR IGNORE INTO code (code, rec) VALUES (?, ?)"

FIND_ACCESS_SET: Final = "SELECT access_set FROM access_set WHERE fields = ?"
INSERT_ACCESS_SET: Final = "INSERT INTO access_set (fields) VALUES (?) RETURNING access_set"
INSERT_ACCESS_WORD: Final = "INSERT INTO access_word (principal, denies, access_set) VALUES (?, ?, ?)"

FIND_FACET_SET: Final = "SELECT facet_set FROM facet_set WHERE words = ?"
INSERT_FACET_SET: Final = "INSERT INTO facet_set (words) VALUES (?) RETURNING facet_set"
INSERT_FACET_WORD: Final = "INSERT INTO facet_word (word, facet_set) VALUES (?, ?)"

# Point a record to another set of access fields; gives no row when the record is not there.
PATCH_ACCESS: Final = "UPDATE rec SET access_set = ? WHERE id = ? RETURNING rowid"

# Rowids of the ids in a JSON array; then each table's rows of those rowids (a JSON array again).
ROWIDS_OF: Final = "SELECT rowid FROM rec WHERE id IN (SELECT value FROM json_each(?))"
DELETE_TEXTS: Final = "DELETE FROM fts WHERE rowid IN (SELECT value FROM json_each(?))"
DELETE_CODES: Final = "DELETE FROM code WHERE rec IN (SELECT value FROM json_each(?))"
DELETE_RECORDS: Final = "DELETE FROM rec WHERE rowid IN (SELECT value FROM json_each(?))"

# Sets that no record has any more.
UNUSED_ACCESS: Final = (
    "DELETE FROM access_word WHERE access_set NOT IN (SELECT access_set FROM rec)",
    "DELETE FROM access_set WHERE access_set NOT IN (SELECT access_set FROM rec)",
)
UNUSED_FACETS: Final = (
    "DELETE FROM facet_word WHERE facet_set NOT IN (SELECT facet_set FROM rec)",
    "DELETE FROM facet_set WHERE facet_set NOT IN (SELECT facet_set FROM rec)",
)

# Merge all segments into one: only then do deleted words leave the full-text index. Then they leave the file.
OPTIMIZE: Final = "INSERT INTO fts (fts) VALUES ('optimize')"
VACUUM: Final = "VACUUM"
# Move the write-ahead log into the file and empty it; the first column is 1 when readers or writers prevented that.
CHECKPOINT: Final = "PRAGMA wal_checkpoint(TRUNCATE)"

# --- searching -----------------------------------------------------------------------------------------------------

# The access sets that admit :caller and the metadata sets that pass :filters, computed once a search.
# :filters is a JSON array with one array of `key=value` words for every filtered key.
_ADMITTED: Final = """
WITH allowed AS MATERIALIZED (
    SELECT access_set FROM access_word WHERE denies = 0 AND principal IN (SELECT value FROM json_each(:caller))
    EXCEPT
    SELECT access_set FROM access_word WHERE denies = 1 AND principal IN (SELECT value FROM json_each(:caller))
), passing AS MATERIALIZED (
    SELECT facet_set FROM facet_set WHERE json_array_length(:filters) > 0 AND NOT EXISTS (
        SELECT 1 FROM json_each(:filters) AS filter WHERE NOT EXISTS (
            SELECT 1 FROM json_each(filter.value) AS wanted
            JOIN facet_word ON facet_word.word = wanted.value AND facet_word.facet_set = facet_set.facet_set))
)
"""
_IS_ADMITTED: Final = """
rec.access_set IN allowed AND (json_array_length(:filters) = 0 OR rec.facet_set IN passing)
"""

# The best matches of a full-text expression; the rank is negative, the best the lowest.
SEARCH: Final = f"""
{_ADMITTED}
SELECT rec.id, -bm25(fts, :text_weight, :heading_weight, :code_weight, :cjk_weight) AS score
FROM fts CROSS JOIN rec ON rec.rowid = fts.rowid
WHERE fts MATCH :expression AND {_IS_ADMITTED}
ORDER BY score DESC, rec.id LIMIT :limit
"""  # noqa: S608 - made of constants

# Records with any of the codes in a JSON array, by how many of them they have; served by the key of `code`.
WITH_CODES: Final = f"""
{_ADMITTED}
SELECT rec.id, count(*) AS number
FROM (SELECT DISTINCT value FROM json_each(:codes)) AS wanted
CROSS JOIN code ON code.code = wanted.value
CROSS JOIN rec ON rec.rowid = code.rec
WHERE {_IS_ADMITTED}
GROUP BY rec.rowid ORDER BY number DESC, rec.id LIMIT :limit
"""  # noqa: S608 - made of constants

COUNT_ROWS: Final = "SELECT count(*) FROM rec"
# In how many rows a word (as the tokenizer gives it) stands; reads the word's whole list: cached by the caller.
ROWS_WITH_WORD: Final = "SELECT doc FROM fts_word WHERE term = ?"

# --- auditing ------------------------------------------------------------------------------------------------------

# A page of what is stored after an id, served by the unique index on id.
PAGE: Final = """
SELECT rec.id, access_set.fields FROM rec JOIN access_set USING (access_set)
WHERE rec.id > ? ORDER BY rec.id LIMIT ?
"""
FETCH: Final = """
SELECT rec.id, access_set.fields FROM rec JOIN access_set USING (access_set)
WHERE rec.id IN (SELECT value FROM json_each(?))
"""

# --- taking questions apart: on a connection in memory, with the tokenizer of the index -----------------------------

INSERT_PIECE: Final = (
    "INSERT INTO plain (rowid, piece) VALUES (?, ?)",
    "INSERT INTO stemmed (rowid, piece) VALUES (?, ?)",
)
# Number of the piece, word as written, word as the index has it; in the order of the question.
READ_WORDS: Final = """
SELECT plain_word.doc, plain_word.term, stemmed_word.term
FROM plain_word JOIN stemmed_word USING (doc, offset) ORDER BY plain_word.doc, plain_word.offset
"""
