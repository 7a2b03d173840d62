"""`kill -9` at every step boundary and at random moments: the next run converges, and embeds nothing twice."""

import multiprocessing
import random
import re
import signal
import time
from collections import Counter
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from ingest.bootstrap import bootstrap
from ingest.catalog import documents, indexing
from ingest.settings import IndexingSettings
from tests.integration import kill_victim
from tests.integration.report import say
from tests.integration.watched import (
    CALL_INPUTS,
    as_it_stands,
    change_something,
    differences,
    model_of,
    new_library,
    settings_of,
    version,
    wait_until,
)
from worker.runner import Once, run_once

ROOT = Path(__file__).parents[2]
POINTS = sorted(
    {
        name
        for package in ("ingest", "worker")
        for file in (ROOT / package).rglob("*.py")
        for name in re.findall(r'\bfailpoint\(\s*"([^"]+)"', file.read_text())
    }
)
"""Every failpoint that the code has: a new one is killed at without anybody thinking of it."""
IN_A_CHILD = {"edge.child_optimised"}
"""Passed in a child process of the process under test, which outlives it."""
AGAIN = [f"{name}:kill:3" for name in POINTS if name.startswith(("embed.", "stage.", "publish."))]
"""The middle of a run: some batches are published, one is on its way, others wait."""
INDEXING = IndexingSettings()
TOPICS, RANDOM_KILLS = 12, 20

# forked from a process that has imported everything already: a victim is at work within milliseconds
VICTIMS = multiprocessing.get_context("forkserver")
VICTIMS.set_forkserver_preload(["tests.integration.kill_victim"])


def ended(victim: BaseProcess, within_s: float) -> int | None:
    victim.join(within_s)
    code = victim.exitcode
    if code is None:
        victim.kill()
        victim.join()
    return code


def recover(base: Path, *, every: int = 1) -> Once:
    """What `lockstep run --once` does after a kill; then everything must agree. `every`: see `differences`."""
    with bootstrap(settings_of(base), model=model_of(base)) as lockstep:
        once = run_once(lockstep)
        assert once.problems == []
        assert differences(lockstep, as_it_stands(base), every=every) == []
        audited = lockstep.audit.run()
        assert audited.clean, audited
        again = run_once(lockstep)
        assert (again.mended, again.drained.documents, again.drained.embedded) == (None, 0, 0)
    return once


def embedded_twice(base: Path) -> int:
    """Inputs that the model was given more than once, by all processes together."""
    lines = (base / "calls").read_text().splitlines()
    return sum(times - 1 for line, times in Counter(lines).items() if line.startswith("passage"))


def test_the_victim_passes_every_failpoint_when_nobody_kills_it(tmp_path: Path) -> None:
    new_library(tmp_path, TOPICS)
    victim = VICTIMS.Process(target=kill_victim.steps, args=(tmp_path,))
    victim.start()
    assert ended(victim, 60) == 0
    assert recover(tmp_path).mended is None
    assert embedded_twice(tmp_path) == 0


@pytest.mark.parametrize("point", [*(f"{name}:kill" for name in POINTS), *AGAIN])
def test_a_run_killed_at_a_step_boundary_converges(tmp_path: Path, point: str) -> None:
    new_library(tmp_path, TOPICS)
    victim = VICTIMS.Process(target=kill_victim.steps, args=(tmp_path, point))
    victim.start()
    code = ended(victim, 60)
    if point.partition(":")[0] in IN_A_CHILD:
        assert code == 0
    else:
        assert code == -signal.SIGKILL, f"{point} is not passed by tests.integration.kill_victim"
    recover(tmp_path)
    assert embedded_twice(tmp_path) <= CALL_INPUTS


@pytest.mark.parametrize("where", ["look", "plan", "embed", "stage"])
def test_a_document_that_kills_its_worker_is_held_and_the_others_are_done(tmp_path: Path, where: str) -> None:
    """F18. Smaller batches after a crash, then alone; only what was tried alone is held."""
    library = new_library(tmp_path, TOPICS)
    deadly = tmp_path / "documents" / "old" / "deadly.md"
    deadly.write_text(f"# Handbook\n\n{kill_victim.MARK}, topic099 part 1 revision 0.\n")
    deaths = 0
    while True:
        victim = VICTIMS.Process(target=kill_victim.once, args=(tmp_path, where))
        victim.start()
        if ended(victim, 60) == 0:
            break
        deaths += 1
        assert deaths < 8, "the document is never held"
    with bootstrap(settings_of(tmp_path), model=model_of(tmp_path)) as lockstep:
        assert differences(lockstep, library) == []
        with lockstep.database.read() as tx:
            rows = documents.of_source(tx, lockstep.sources[0].id)
            held = {row.id: row.look_held for row in rows if row.look_held}
            held |= dict(indexing.held(tx, lockstep.generation.id))
        assert [row.name for row in rows if row.id in held] == ["deadly.md"]
        assert f"died {INDEXING.attempts_alone} times" in next(iter(held.values()))
    say(f"{where}: held after {deaths} deaths")
    # what is mended is taken up again
    library.write("old/deadly.md", version(99, revision=1))
    recover(tmp_path)


@pytest.mark.timeout(180)
def test_a_run_killed_at_random_moments_converges_each_time(tmp_path: Path) -> None:
    random_ = random.Random(7)
    library = new_library(tmp_path, 40)
    mended = 0
    for kill in range(RANDOM_KILLS):
        (tmp_path / "opened").unlink(missing_ok=True)
        for i in range(8):
            change_something(library, random_, 1_000 * kill + i)
        victim = VICTIMS.Process(target=kill_victim.run, args=(tmp_path,))
        victim.start()
        try:
            wait_until((tmp_path / "opened").exists, 20, "the victim runs")
            dies_at = time.monotonic() + random_.uniform(0.0, 0.8)
            for i in range(100, 200):
                if victim.exitcode is not None or time.monotonic() >= dies_at:
                    break
                change_something(library, random_, 1_000 * kill + i)
                victim.join(random_.uniform(0.0, 0.05))  # a pause that ends when the victim does
        finally:
            victim.kill()
            victim.join()
        last = kill == RANDOM_KILLS - 1
        mended += recover(tmp_path, every=1 if last else 5).mended is not None
        assert embedded_twice(tmp_path) <= CALL_INPUTS * (kill + 1)
    say(f"{RANDOM_KILLS} kills, {mended} mended, {embedded_twice(tmp_path)} inputs embedded twice")
    assert mended >= RANDOM_KILLS // 2
