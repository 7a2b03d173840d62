"""Seeded mistakes: each takes exactly one guard of the protocol away, and the harness must then break a promise."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from sqlalchemy import Connection, Select, select, text, update

from ingest.catalog import decision, documents, folders, inbox, indexing, records
from ingest.catalog.database import db_now
from ingest.catalog.tables import documents as documents_table
from ingest.catalog.tables import folders as folders_table
from ingest.catalog.tables import inbox as inbox_table
from ingest.failpoints import failpoint
from ingest.indexing import look, publisher, stager
from ingest.indexing.look import DocumentLook
from ingest.indexing.publisher import Publisher
from ingest.indexing.stager import Stager
from ingest.adapters.memory.index import MemoryIndex
from ingest.retrieval import searcher

Mutation = Callable[[ExitStack], None]
