"""The access fields of records follow policies in the background; they are a prefilter and decide nothing.

A change of a folder leaves one work row per generation, expanded into folders, then into pages of documents; documents
are patched by ids under their lease, with the policy read at that moment.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingest.catalog import access_work, indexing, policies, records
from ingest.catalog.database import Database
from ingest.catalog.indexing import Lease
from ingest.failpoints import failpoint
from ingest.model.access import Access
from ingest.model.record import RecordId
from ingest.ports import LexicalIndex, VectorIndex

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AccessFields:
    """Brings the access fields of one generation to the access in force."""

    database: Database
    generation_id: int
    lexical: LexicalIndex
    vector: VectorIndex
    page: int = 500
    lease_s: float = 60.0

    def fan_out(self) -> bool:
        """One step of the work that folder changes left; False when there is none."""
        with self.database.write() as tx:
            work = access_work.next_work(tx, self.generation_id)
            if work is None:
                return False
            if not work.expanded:
                access_work.expand(tx, work)
                return True
            page = access_work.page(tx, work, self.page)
            wanted = policies.access_of(tx, [document_id for document_id, _ in page])
            stale = [i for i, carried in page if carried != wanted[i].digest]
            indexing.make_access_due(tx, self.generation_id, stale)
            if len(page) == self.page:
                access_work.proceed(tx, work, page[-1][0])
            else:
                access_work.finish(tx, work)
            return True

    def patch(self) -> int:
        """Patch one claim of documents whose fields are due; returns how many documents were claimed.

        Raises StoreUnavailable: the fields are unknown then and stay due.
        """
        with self.database.write() as tx:
            leases = indexing.claim_access(tx, self.generation_id, limit=self.page, lease_s=self.lease_s)
            access = policies.access_of(tx, [lease.document_id for lease in leases])
            # what all records carry already, as after a move within a folder, is not sent again
            stale = [lease.document_id for lease in leases if lease.carried != access[lease.document_id].digest]
            carrying = records.carrying(tx, self.generation_id, stale)
        if not leases:
            return 0
        failpoint("access.before_patch")
        try:
            self._write({record: access[i] for i, found in carrying.items() for record in found})
        except Exception:
            with self.database.write() as tx:
                indexing.release(tx, leases, again_in_s=1.0)
            raise
        failpoint("access.after_patch")
        self._conclude(leases, access)
        return len(leases)

    def _write(self, changes: Mapping[RecordId, Access]) -> None:
        if not changes:
            return
        gone = {*self.lexical.patch_access(changes), *self.vector.patch_access(changes)}
        if gone:
            log.info("access: records gone", extra={"event": "access.gone", "records": len(gone)})
        self.lexical.refresh()
        self.vector.refresh()

    def _conclude(self, leases: Sequence[Lease], written: Mapping[int, Access]) -> None:
        with self.database.write() as tx:
            held = indexing.held_by(tx, leases)
            in_force = policies.access_of(tx, list(held))
            for lease in leases:
                if lease.document_id in held:
                    now = in_force[lease.document_id].digest
                    same = written[lease.document_id].digest == now
                    indexing.set_carried(tx, lease, now if same else None)
