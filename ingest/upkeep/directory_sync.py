"""Directory sync: bring memberships to what a directory says; removals first, additions after, each stamped.

Only complete answers are applied. A failed read changes nothing and is reported.
"""

import logging
from dataclasses import dataclass

from ingest.catalog import marks, principals
from ingest.catalog.database import Connection, Database
from ingest.errors import Superseded
from ingest.failpoints import failpoint
from ingest.ports import Directory

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DirectorySync:
    """Syncs one directory of people and groups."""

    database: Database
    name: str
    directory: Directory

    def run(self) -> tuple[int, int]:
        """(edges removed, edges added).

        Raises SourceUnavailable: then memberships are what they were. Raises Superseded when another sync of this
        directory has begun meanwhile: what it reads is newer.
        """
        said = self.directory.memberships()
        failpoint("directory.after_first_read")
        with self.database.read() as tx:
            if self._nobody_syncs(tx) and principals.edges(tx, self.name) == said:
                return 0, 0
        # Something differs. It is read once more under a number, and only the newest number is applied:
        #   1) sync A reads the directory, in which ann still belongs to a group, and stalls
        #   2) ann is removed, sync B reads that and applies it: acknowledged
        #   3) A goes on and brings ann back
        # B's number is higher (or B found nothing to do while A had none yet, and A reads after 2)), so 3) is refused.
        # Found by tests/property/test_protocol.py (P4).
        with self.database.write() as tx:
            number = marks.count_up(tx, self._begun)
        failpoint("directory.after_number")
        said = self.directory.memberships()
        failpoint("directory.after_read")
        with self.database.write() as tx:
            self._check(tx, number)
            removed = principals.remove_edges(tx, principals.edges(tx, self.name) - said)
        failpoint("directory.after_removals")
        with self.database.write() as tx:
            self._check(tx, number)
            added = principals.add_edges(tx, said - principals.edges(tx, self.name))
            marks.put(tx, self._ended, str(number))
            failpoint("directory.before_commit")
        failpoint("directory.after_additions")
        log.info("memberships", extra={"event": "directory.synced", "removed": removed, "added": added})
        return removed, added

    @property
    def _begun(self) -> str:
        return f"sync begun: {self.name}"

    @property
    def _ended(self) -> str:
        return f"sync ended: {self.name}"

    def _nobody_syncs(self, tx: Connection) -> bool:
        return marks.get(tx, self._begun) == marks.get(tx, self._ended)

    def _check(self, tx: Connection, number: int) -> None:
        if not marks.is_at(tx, self._begun, number):
            raise Superseded(f"another sync of the directory {self.name} has begun; its answer is newer")
