"""The tables of the embedded lexical index, and by what its file is known.

`rec` is a record, under the same rowid as its row in `fts`. Records with equal access fields share one row of
`access_set`, those with equal metadata one of `facet_set`; `access_word` and `facet_word` are their members.
`fts.text` is the text without stretches of scripts that write no spaces, `fts.cjk` their pairs of characters,
`fts.codes` the codes with only letters and digits left (`pay0420`: a final 0 keeps the stemmer away).
"""

from typing import Final

APPLICATION_ID: Final = 0x4C6B7374  # "Lkst"
SCHEMA_VERSION: Final = 1
TOKENIZER: Final = "porter unicode61 remove_diacritics 2"
"""Like the text analyser of the OpenSearch adapter: words without accents, stemmed with Porter's algorithm."""

SCHEMA: Final = (
    """CREATE TABLE access_set (access_set INTEGER PRIMARY KEY, fields TEXT NOT NULL UNIQUE)""",
    """CREATE TABLE access_word (
        principal TEXT NOT NULL, denies INTEGER NOT NULL, access_set INTEGER NOT NULL,
        PRIMARY KEY (principal, denies, access_set)) WITHOUT ROWID""",
    """CREATE INDEX access_word_by_set ON access_word (access_set)""",
    """CREATE TABLE facet_set (facet_set INTEGER PRIMARY KEY, words TEXT NOT NULL UNIQUE)""",
    """CREATE TABLE facet_word (
        word TEXT NOT NULL, facet_set INTEGER NOT NULL, PRIMARY KEY (word, facet_set)) WITHOUT ROWID""",
    """CREATE INDEX facet_word_by_set ON facet_word (facet_set)""",
    """CREATE TABLE rec (
        rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document_id INTEGER NOT NULL,
        access_set INTEGER NOT NULL, facet_set INTEGER NOT NULL)""",
    """CREATE INDEX rec_by_access ON rec (access_set)""",
    """CREATE INDEX rec_by_facets ON rec (facet_set)""",
    """CREATE TABLE code (code TEXT NOT NULL, rec INTEGER NOT NULL, PRIMARY KEY (code, rec)) WITHOUT ROWID""",
    """CREATE INDEX code_by_rec ON code (rec)""",
    f"""CREATE VIRTUAL TABLE fts USING fts5(text, heading, codes, cjk, tokenize = '{TOKENIZER}')""",
    """CREATE VIRTUAL TABLE fts_word USING fts5vocab(fts, row)""",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)

# What a file says it is: its application, its schema version, and whether there is anything in it.
IDENTITY: Final = """
SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)
FROM pragma_application_id, pragma_user_version
"""

# On a connection in memory: takes questions apart with the tokenizer of the index.
QUESTION_SCHEMA: Final = (
    "CREATE VIRTUAL TABLE plain USING fts5(piece, tokenize = 'unicode61 remove_diacritics 2')",
    f"CREATE VIRTUAL TABLE stemmed USING fts5(piece, tokenize = '{TOKENIZER}')",
    "CREATE VIRTUAL TABLE plain_word USING fts5vocab(plain, instance)",
    "CREATE VIRTUAL TABLE stemmed_word USING fts5vocab(stemmed, instance)",
)
