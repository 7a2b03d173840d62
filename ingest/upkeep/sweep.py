"""Sweep: set due whatever something forgot to, by comparing what is wanted with what there is."""

from dataclasses import dataclass

from ingest.catalog import indexing
from ingest.catalog.database import Database

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Sweep:
    """Sweeps one generation."""

    database: Database
    generation_id: int

    def run(self) -> int:
        """Returns how many documents were not due and should have been; the pipeline finds them now."""
        found = 0
        while True:
            with self.database.write() as tx:
                page = indexing.sweep(tx, self.generation_id, _PAGE)
            found += page
            if page < _PAGE:
                return found
