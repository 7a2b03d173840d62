"""Perform an operation in this process, which holds the data folder for as long as that takes."""

from contextlib import closing
from typing import Any

from ingest.bootstrap import bootstrap
from ingest.catalog import marks, sources
from ingest.lockstep import Lockstep
from ingest.operator.doctor import doctor
from ingest.parts import Parts
from ingest.settings import Settings
from worker.operations import OPERATIONS, perform, plain
from worker.runner import mark_running, mark_stopped, mend


def perform_here(settings: Settings, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Open the installation, perform one operation, close it."""
    if operation == "doctor":
        with closing(Parts(settings)) as parts:
            return {"findings": plain(doctor(parts))}
    with bootstrap(settings) as lockstep:
        answer = perform_opened(lockstep, operation, parameters)
    return answer | {"running": False} if operation == "status" else answer


def perform_opened(lockstep: Lockstep, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Perform an operation on an installation that no `lockstep run` has open.

    After an unclean stop the stores are mended before a search; what writes to them leaves the mark of a running
    process until it is done, so that its own end is noticed too.
    """
    known = OPERATIONS.get(operation)
    if not lockstep.settings.embedded or known is None:
        return perform(lockstep, operation, parameters)
    clean = _clean(lockstep)
    if known.asks_stores and not clean:
        mend(lockstep)
        lockstep.heal_access()
        lockstep.pipeline.drain()
        mark_stopped(lockstep)
        clean = True
    if not known.writes_stores:
        return perform(lockstep, operation, parameters)
    mark_running(lockstep)
    answer = perform(lockstep, operation, parameters)
    if known.leaves_work:
        _finish(lockstep)
    if clean:
        mark_stopped(lockstep)
    return answer


def _finish(lockstep: Lockstep) -> None:
    """What a running process would do next."""
    lockstep.drain()
    for source in lockstep.sources:
        with lockstep.database.read() as tx:
            live = sources.get(tx, source.id).state == "live"
        if live:
            lockstep.scan(source).finish()


def _clean(lockstep: Lockstep) -> bool:
    with lockstep.database.read() as tx:
        return marks.get(tx, marks.RUNNING) is None
