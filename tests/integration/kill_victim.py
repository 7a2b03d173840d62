"""A process to be killed: at a failpoint, or whenever its parent likes.

`steps` does everything once, passes every failpoint and ends; `run` works like `lockstep run` until it is killed.
"""

import importlib
import os
import shutil
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ingest import failpoints
from ingest.adapters.memory.embedding_model import MemoryEmbeddingModel
from ingest.bootstrap import bootstrap, open_watcher
from ingest.errors import StoreUnavailable
from ingest.lockstep import Lockstep
from ingest.ports import Optimisable
from ingest.settings import EdgeVector, UpkeepSettings
from tests.integration.library import Rules
from tests.integration.watched import (
    as_it_stands,
    differences,
    edited,
    model_of,
    settings_of,
    version,
    wait_until,
)
from worker.runner import Runner, next_due, run_once

SETTLED_WITHIN_S = 30.0


def new_runner(lockstep: Lockstep) -> Runner:
    return Runner(lockstep, lambda source: open_watcher(lockstep.settings, source), lambda _: None)


def steps(base: Path, failpoint: str = "") -> None:
    """`failpoint` as LOCKSTEP_FAILPOINT would have it: read at import, so it is read again here."""
    os.environ["LOCKSTEP_FAILPOINT"] = failpoint
    importlib.reload(failpoints)
    with bootstrap(settings_of(base), model=model_of(base)) as lockstep:
        run_once(lockstep)
        if not failpoint or failpoint.startswith("edge."):  # a second that the others need not take
            optimise(lockstep)
        runner = new_runner(lockstep)
        runner.start()
        change(base)
        wait_until(lambda: _settled(lockstep, base), SETTLED_WITHIN_S, "answers equal the files")
        for _ in range(3):
            lockstep.vacuum.run()
        lose_a_record(lockstep)
        wait_until(lambda: lockstep.audit.run().clean, SETTLED_WITHIN_S, "the lost record is published again")
        runner.stop()


def _settled(lockstep: Lockstep, base: Path) -> bool:
    return next_due(lockstep) is None and not differences(lockstep, as_it_stands(base))


def change(base: Path) -> None:
    """Edits, a new document, a delete, a move, a folder moved and one removed, access and group changes."""
    library = as_it_stands(base)
    for key in [key for key in sorted(library.topics) if key.startswith("open/")]:
        library.write(key, edited(library.topics[key], revision=1))
    library.write("open/topic090.md", version(90, revision=1))
    library.delete("open/topic000.md")
    library.move("open/topic004.md", "staff/topic004.md")
    library.rules["staff"] = Rules(allow={"group:staff", "user:bob"}, documents={"topic001.md": Rules(allow=set())})
    library.write_rules("staff")
    library.groups = {"staff": {"user:bob"}}
    library.write_groups()
    (library.root / "spare").rename(library.root / "open" / "spare")
    shutil.rmtree(library.root / "old")


def lose_a_record(lockstep: Lockstep) -> None:
    """As a store restored from an old backup would: found by an audit, mended by a repair."""
    stored = lockstep.vector.ids(after=None, limit=1)
    lockstep.vector.delete([stored[0].id])
    lockstep.audit.repair(lockstep.audit.run())
    lockstep.doorbell.ring("changes")


def optimise(lockstep: Lockstep) -> None:
    assert isinstance(lockstep.vector, Optimisable)
    with suppress(StoreUnavailable):  # the child process was killed: the shard in use stays as it is
        lockstep.vector.optimise()


MARK = "this text is deadly"
"""A document that holds it kills whoever handles it."""


def once(base: Path, where: str) -> None:
    """As `run --once`, but it dies at the document with the mark: at its `look`, `plan`, `embed` or `stage`."""
    model = MemoryEmbeddingModel(call_log=base / "calls", refuse=_deadly if where == "embed" else lambda _: None)
    with bootstrap(settings_of(base), model=model) as lockstep:
        run_once(_made_deadly(lockstep, base, where))


def _made_deadly(lockstep: Lockstep, base: Path, where: str) -> Lockstep:
    match where:
        case "look":
            (source,) = lockstep.sources
            reading = Deadly(source.content, "document", lambda key: (base / "documents" / key).read_text())
            return replace(lockstep, sources=(replace(source, content=reading),))
        case "plan":
            cutting = Deadly(lockstep.maker.cutter, "passages", lambda text, **_: text)
            return replace(lockstep, maker=replace(lockstep.maker, cutter=cutting))
        case "stage":
            adding = Deadly(lockstep.lexical, "add", lambda records, **_: "".join(r.text for r in records))
            return replace(lockstep, lexical=adding)
    return lockstep


class Deadly:
    """Anything, of which one method kills the process when what it is told holds the mark."""

    def __init__(self, inner: Any, method: str, told: Callable[..., str]) -> None:
        self._inner = inner
        self._method = method
        self._told = told

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name != self._method:
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            _deadly(self._told(*arguments, **named))
            return found(*arguments, **named)

        return call


def _deadly(text: str) -> None:
    if MARK in text:
        os.kill(os.getpid(), signal.SIGKILL)


def run(base: Path) -> None:
    """The file `opened` says that it began."""
    upkeep = UpkeepSettings(grace_s=0.05, second_delete_s=0.05, sample_s=0.1, flush_s=0.2)
    settings = settings_of(base, upkeep=upkeep, vector=EdgeVector(optimise_after=30))
    with bootstrap(settings, model=model_of(base)) as lockstep:
        (base / "opened").touch()
        new_runner(lockstep).start()
        threading.Event().wait()
