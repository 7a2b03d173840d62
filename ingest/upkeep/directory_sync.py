"""Directory sync: bring memberships to what a directory says; removals first, additions after, each stamped.

Only complete answers are applied. A failed read changes nothing and is reported.
"""

import logging
from dataclasses import dataclass

from ingest.catalog import principals
from ingest.catalog.database import Database
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
        """(edges removed, edges added). Raises SourceUnavailable: then memberships are what they were."""
        said = self.directory.memberships()
        failpoint("directory.after_read")
        with self.database.write() as tx:
            known = principals.edges(tx, self.name)
            removed = principals.remove_edges(tx, known - said)
        failpoint("directory.after_removals")
        with self.database.write() as tx:
            added = principals.add_edges(tx, said - principals.edges(tx, self.name))
        if removed or added:
            log.info("memberships", extra={"event": "directory.synced", "removed": removed, "added": added})
        return removed, added
