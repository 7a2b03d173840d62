"""Vacuum: delete records that no reader can accept any more, by explicit ids, once and a day later once more."""

import logging
from dataclasses import dataclass, field

from ingest.catalog import generations, records
from ingest.catalog.database import Database
from ingest.failpoints import failpoint
from ingest.ports import LexicalIndex, VectorIndex

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class VacuumSettings:
    """Times in seconds."""

    grace_s: float = 60.0
    second_delete_s: float = 86_400.0
    page: int = 1_000


@dataclass(frozen=True, slots=True)
class Vacuum:
    """Vacuums one generation."""

    database: Database
    generation_id: int
    lexical: LexicalIndex
    vector: VectorIndex
    settings: VacuumSettings = field(default_factory=VacuumSettings)

    def run(self) -> dict[str, int]:
        """One pass; counts of condemned, deleted and dropped records. Raises StoreUnavailable; run it again then."""
        with self.database.write() as tx:
            generations.sample_epoch(tx, self.generation_id)
            horizon = generations.raise_horizon(tx, self.generation_id, self.settings.grace_s)
        failpoint("vacuum.after_horizon")
        condemned = self._condemn(horizon)
        deleted = self._delete_once()
        dropped = self._delete_again()
        return {"condemned": condemned, "deleted": deleted, "dropped": dropped}

    def _condemn(self, horizon: int) -> int:
        total = 0
        while True:
            with self.database.write() as tx:
                done = records.condemn_closed(tx, self.generation_id, horizon, self.settings.page)
            failpoint("vacuum.after_condemn")
            total += done
            if done < self.settings.page:
                return total

    def _delete_once(self) -> int:
        total = 0
        while True:
            with self.database.read() as tx:
                ids = records.to_delete(tx, self.generation_id, self.settings.page)
            if not ids:
                return total
            failpoint("vacuum.before_delete")
            self.lexical.delete(ids)
            self.vector.delete(ids)
            failpoint("vacuum.after_delete")
            with self.database.write() as tx:
                records.deleted_once(tx, ids)
            total += len(ids)

    def _delete_again(self) -> int:
        total = 0
        while True:
            with self.database.read() as tx:
                ids = records.to_delete_again(tx, self.generation_id, self.settings.second_delete_s, self.settings.page)
            if not ids:
                return total
            # a late worker's insert-only write may have brought a deleted record back: nobody accepts it, and it goes
            self.lexical.delete(ids)
            self.vector.delete(ids)
            with self.database.write() as tx:
                records.drop(tx, ids)
            total += len(ids)
