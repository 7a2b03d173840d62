"""Guards of audit and repair, each taken away alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from sqlalchemy import Connection, update

from ingest.catalog import documents, records, tables
from ingest.upkeep import audit
from ingest.upkeep.audit import Audit, Audited
from tests.fault.modules import module_with


@contextmanager
def moving_the_revision() -> Iterator[None]:
    """A repair counts the content version up and lets a look that is under way go on."""

    def raise_version(tx: Connection, document_id: int) -> int:
        version = documents.raise_version(tx, document_id)
        here = tables.documents.c.id == document_id
        tx.execute(update(tables.documents).where(here).values(revision=tables.documents.c.revision - 1))
        return version

    with patch.object(audit, "documents", module_with(documents, raise_version=raise_version)):
        yield


@contextmanager
def marking_what_is_lost() -> Iterator[None]:
    """A document is indexed once more, and its records are taken to be where they were."""

    def nothing(_tx: Connection, _ids: Any) -> None:
        pass

    with patch.object(audit, "records", module_with(records, mark_lost=nothing)):
        yield


@contextmanager
def deleting_what_the_catalog_does_not_know() -> Iterator[None]:
    """A repair puts back what is missing and leaves what is too much."""
    mend = Audit.repair

    def repair(self: Audit, audited: Audited) -> dict[str, int]:
        stores = {name: replace(found, unknown=[]) for name, found in audited.stores.items()}
        return mend(self, replace(audited, stores=stores))

    with patch.object(Audit, "repair", repair):
        yield
