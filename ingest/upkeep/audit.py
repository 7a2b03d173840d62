"""Audit: catalog, lexical index and vector index, compared record by record; and the repair of what differs.

Stores are compared with the catalog for extras, the catalog with the stores for gaps, page by page. Records that are
staged, or closed and not vacuumed yet, may or may not be in a store and are neither.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field

from ingest.catalog import contents, documents, indexing, policies, records
from ingest.catalog.database import Database
from ingest.failpoints import failpoint
from ingest.model.record import RecordId
from ingest.ports import Index

log = logging.getLogger(__name__)

_PAGE = 1_000


@dataclass(slots=True)
class Findings:
    """What an audit found in one store."""

    checked: int = 0
    missing: list[RecordId] = field(default_factory=list)
    unknown: list[RecordId] = field(default_factory=list)
    wrong_access: list[int] = field(default_factory=list)
    """Documents of which a record carries other access fields than those in force."""

    @property
    def clean(self) -> bool:
        """Nothing differs."""
        return not (self.missing or self.unknown or self.wrong_access)


@dataclass(slots=True)
class Audited:
    """What an audit found in each store, by name, and documents not at their wanted version."""

    stores: dict[str, Findings] = field(default_factory=dict)
    behind: int = 0
    access_due: int = 0

    @property
    def clean(self) -> bool:
        """Catalog and both stores agree record by record, and nothing waits."""
        return all(found.clean for found in self.stores.values()) and not self.behind and not self.access_due


@dataclass(frozen=True, slots=True)
class Audit:
    """Audits one generation against its stores, by name (`lexical`, `vector`)."""

    database: Database
    generation_id: int
    stores: dict[str, Index]

    def run(self) -> Audited:
        """Compare everything; changes nothing. Raises StoreUnavailable."""
        audited = Audited()
        with self.database.read() as tx:
            audited.behind = indexing.due(tx, self.generation_id)
            audited.access_due = indexing.access_due(tx, self.generation_id)
        for name, store in self.stores.items():
            store.refresh()
            found = Findings()
            self._extras(store, found)
            self._gaps(store, found)
            audited.stores[name] = found
            failpoint("audit.after_store")
        return audited

    def repair(self, audited: Audited) -> dict[str, int]:
        """Set right what an audit found; there is no second write path.

        Unknown ids are deleted; documents with missing records get a higher version, so that the ordinary path closes
        those records and publishes their chunks under new ids from the cache; wrong access fields become due.
        """
        done = {"deleted": 0, "documents": 0, "access": 0}
        for name, found in audited.stores.items():
            if found.unknown:
                self.stores[name].delete(found.unknown)
                done["deleted"] += len(found.unknown)
            done["documents"] += self._republish(found.missing)
            failpoint("repair.after_republish")
            with self.database.write() as tx:
                indexing.doubt_access(tx, self.generation_id, found.wrong_access)
            done["access"] += len(found.wrong_access)
        return done

    def _extras(self, store: Index, found: Findings) -> None:
        after: RecordId | None = None
        while page := store.ids(after=after, limit=_PAGE):
            after = page[-1].id
            found.checked += len(page)
            with self.database.read() as tx:
                known = records.known(tx, [stored.id for stored in page])
                open_ = {i: row for i, row in known.items() if row.from_epoch is not None and row.to_epoch is None}
                wanted = policies.access_of(tx, {row.document_id for row in open_.values()})
            found.unknown += [stored.id for stored in page if stored.id not in known]
            wrong = {
                open_[stored.id].document_id
                for stored in page
                if stored.id in open_ and stored.access != wanted[open_[stored.id].document_id]
            }
            found.wrong_access += sorted(wrong - set(found.wrong_access))

    def _gaps(self, store: Index, found: Findings) -> None:
        after: RecordId | None = None
        while True:
            with self.database.read() as tx:
                page = records.open_page(tx, self.generation_id, after, _PAGE)
            if not page:
                return
            after = page[-1][0]
            have = store.fetch([record for record, _ in page])
            absent = [record for record, _ in page if record not in have]
            found.missing += self._still_open(absent)

    def _still_open(self, absent: list[RecordId]) -> list[RecordId]:
        """Those that are open after the store was asked: a publish or vacuum in between explains the others."""
        with self.database.read() as tx:
            known = records.known(tx, absent)
        return [i for i in absent if i in known and known[i].to_epoch is None and known[i].condemned_at is None]

    def _republish(self, missing: Iterable[RecordId]) -> int:
        ids = list(missing)
        with self.database.write() as tx:
            of = {row.document_id for row in records.known(tx, ids).values()}
            for document_id in sorted(of):
                version = documents.raise_version(tx, document_id)
                contents.raise_version(tx, document_id, version)
                indexing.lock(tx, [document_id])
                indexing.want(tx, document_id, version)
            # records last: a publish holds indexing rows and waits for records
            records.mark_lost(tx, ids)
        return len(of)
