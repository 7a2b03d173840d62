"""Approve a suspicious drop: the documents that a scan missed and held are deleted."""

from dataclasses import dataclass

from ingest.catalog import sources
from ingest.errors import Refused
from ingest.lockstep import Lockstep
from ingest.operator.sources import known


@dataclass(frozen=True, slots=True)
class Approved:
    """How many documents a scan may drop, and how many the scan made now found missing; looks confirm each."""

    source: str
    approved: int
    missing: int


def approve(lockstep: Lockstep, name: str) -> Approved:
    """Raises Refused for an unknown source or one that held nothing, SourceUnavailable when it cannot be listed."""
    with lockstep.database.write() as tx:
        approved = sources.approve_drop(tx, known(tx, name))
    if not approved:
        raise Refused(f"no scan of the source {name} held anything: there is nothing to approve")
    source = next((one for one in lockstep.sources if one.name == name), None)
    if source is None:
        raise Refused(f"the source {name} is not in the settings: `lockstep source remove {name}` ends its documents")
    scanned = lockstep.scan(source).run()
    return Approved(name, approved, scanned.missing)
