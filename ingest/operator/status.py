"""Status: what waits, what is held and why, who can read nothing and why, what the stores hold."""

import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ingest.catalog import access_work, documents, generations, indexing, overview, records, sources
from ingest.catalog.database import Connection
from ingest.catalog.database import now as database_now
from ingest.lockstep import Lockstep
from ingest.operator.readers import Unreadable, unreadable

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Held:
    """A document that is not brought to its newest version, and why. Its last good version stays searchable."""

    document: str
    step: str
    reason: str


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """A source as the catalog knows it."""

    name: str
    state: str
    documents: int
    seconds_since_scan: float | None
    problem: str | None
    held_drop: int


@dataclass(frozen=True, slots=True)
class Status:
    """Everything `lockstep status` shows. Times in seconds, sizes in bytes."""

    generation: int
    epoch: int
    model: str
    documents: int
    empty: int
    """Documents without a chunk; `empty_documents` names some of them."""
    empty_documents: tuple[str, ...]
    embeddings: int
    behind: int
    waiting_events: int
    oldest_waiting_s: float | None
    access_due: int
    access_folders_due: int
    held: tuple[Held, ...]
    unreadable: int
    """Documents that nobody can read."""
    unreadable_because: tuple[Unreadable, ...]
    records: dict[str, int]
    sources: tuple[SourceStatus, ...]
    disk_used: int
    disk_free: int


def status(lockstep: Lockstep) -> Status:
    """Read it all in one transaction."""
    data = lockstep.settings.data
    with lockstep.database.read() as tx:
        generation = generations.active(tx) or lockstep.generation
        counted = overview.counts(tx, generation.id)
        oldest = overview.oldest_change(tx, generation.id)
        reasons = unreadable(tx)
        empty = documents.keys(tx, overview.empty_documents(tx, generation.id, _SHOWN))
        return Status(
            generation=generation.id,
            epoch=generation.epoch,
            model=lockstep.model.name,
            documents=counted.documents,
            empty=counted.empty,
            empty_documents=tuple(sorted(empty.values())),
            embeddings=counted.embeddings,
            behind=indexing.due(tx, generation.id),
            waiting_events=counted.waiting_events,
            oldest_waiting_s=None if oldest is None else database_now(tx) - oldest,
            access_due=indexing.access_due(tx, generation.id),
            access_folders_due=access_work.left(tx, generation.id),
            held=held(tx, generation.id),
            unreadable=sum(one.documents for one in reasons),
            unreadable_because=tuple(reasons[:_SHOWN]),
            records=records.counts(tx, generation.id),
            sources=_sources(tx),
            disk_used=_used(data),
            disk_free=shutil.disk_usage(data if data.exists() else data.parent).free,
        )


def _used(folder: Path) -> int:
    """Bytes on disk; a file that goes meanwhile counts for nothing."""
    used = 0
    for file in folder.rglob("*"):
        with suppress(FileNotFoundError):
            used += file.lstat().st_blocks * 512
    return used


def held(tx: Connection, generation_id: int) -> tuple[Held, ...]:
    """Held documents with their reasons."""
    at_look = overview.look_holds(tx)
    at_index = indexing.held(tx, generation_id)
    keys = documents.keys(tx, [i for i, _ in [*at_look, *at_index]])
    return tuple(
        Held(keys[i], step, reason)
        for step, found in (("look", at_look), ("index", at_index))
        for i, reason in found
        if i in keys
    )


def list_sources(lockstep: Lockstep) -> tuple[SourceStatus, ...]:
    """Every source that was ever configured."""
    with lockstep.database.read() as tx:
        return _sources(tx)


def _sources(tx: Connection) -> tuple[SourceStatus, ...]:
    now = database_now(tx)
    return tuple(
        SourceStatus(
            name=row.name,
            state=row.state,
            documents=sources.live_documents(tx, row.id),
            seconds_since_scan=None if row.synced_at is None else now - row.synced_at,
            problem=row.problem,
            held_drop=row.held_drop,
        )
        for row in sources.every(tx)
    )
