"""Status: what waits, what is held and why, who can read nothing and why, what the stores hold."""

import shutil
from collections import Counter
from dataclasses import dataclass

from ingest.catalog import (
    access_work,
    documents,
    folders,
    generations,
    inbox,
    indexing,
    overview,
    policies,
    records,
    sources,
)
from ingest.catalog.database import Connection
from ingest.lockstep import Lockstep

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
    empty_documents: int
    embeddings: int
    behind: int
    waiting_events: int
    oldest_waiting_s: float | None
    access_due: int
    access_folders_due: int
    held: tuple[Held, ...]
    unreadable: int
    """Documents that nobody can read."""
    unreadable_because: dict[str, int]
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
        oldest = inbox.oldest_waiting(tx)
        reasons = _unreadable(tx)
        return Status(
            generation=generation.id,
            epoch=generation.epoch,
            model=lockstep.model.name,
            documents=counted.documents,
            empty_documents=counted.empty,
            embeddings=counted.embeddings,
            behind=indexing.due(tx, generation.id),
            waiting_events=counted.waiting_events,
            oldest_waiting_s=None if oldest is None else overview.now(tx) - oldest,
            access_due=indexing.access_due(tx, generation.id),
            access_folders_due=access_work.left(tx, generation.id),
            held=held(tx, generation.id),
            unreadable=sum(reasons.values()),
            unreadable_because=dict(reasons.most_common(_SHOWN)),
            records=records.counts(tx, generation.id),
            sources=_sources(tx),
            disk_used=sum(file.stat().st_size for file in data.rglob("*") if file.is_file()) if data.exists() else 0,
            disk_free=shutil.disk_usage(data if data.exists() else data.parent).free,
        )


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


def _unreadable(tx: Connection) -> Counter[str]:
    """Why documents can be read by nobody, each counted under its first reason."""
    reasons: Counter[str] = Counter()
    live = overview.live_documents(tx)
    access = policies.access_of(tx, live)
    nobody = [i for i in live if not access[i].allow]
    closed = overview.closed_documents(tx)
    broken = overview.folder_problems(tx)
    states = overview.source_states(tx)
    rows = {i: documents.get(tx, i) for i in (live if any(s != "live" for s in states.values()) else nobody)}
    chains = folders.chains(tx, {row.folder_id for row in rows.values() if row})
    for i, row in rows.items():
        if row is None:
            continue
        if states[row.source_id] != "live":
            reasons[f"its source is {states[row.source_id]}: run a scan"] += 1
        elif access[i].allow:
            continue
        elif i in closed:
            reasons[closed[i]] += 1
        else:
            chain = chains[row.folder_id]
            problem = next((broken[link.id] for link in chain.links if link.id in broken), None)
            if problem:
                reasons[problem] += 1
            elif row.content_version == 0:
                reasons["not seen yet"] += 1
            else:
                reasons["no policy allows anybody"] += 1
    return reasons


def _sources(tx: Connection) -> tuple[SourceStatus, ...]:
    now = overview.now(tx)
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
