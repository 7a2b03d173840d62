"""A process killed at any step of an optimisation leaves an index that opens with everything acknowledged."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.adapters.qdrant_edge.index import QdrantEdgeIndex
from tests.contract.records import access, record_id
from tests.contract.vector_index import DIMENSION

AFTER_LOAD = ["edge.copied", "edge.optimised", "edge.caught_up", "edge.pointer_prepared:kill:2", "edge.exchanged"]
STEPS = [*AFTER_LOAD, "edge.removed"]


def run_victim(directory: Path, log: Path, failpoint: str, *options: str) -> int:
    name, _, rest = failpoint.partition(":")
    environment = {**os.environ, "LOCKSTEP_FAILPOINT": f"{name}:{rest or 'kill'}"}
    command = [sys.executable, "-m", "tests.contract.edge_victim", str(directory), str(log), *options]
    return subprocess.run(command, env=environment, check=False, timeout=60, capture_output=True).returncode


@pytest.fixture
def reopened(tmp_path: Path) -> Iterator[QdrantEdgeIndex]:
    index = QdrantEdgeIndex(tmp_path / "vectors", dimension=DIMENSION)
    yield index
    index.close()


def check_acknowledged(index: QdrantEdgeIndex, log: Path) -> None:
    done = [line.split() for line in log.read_text().splitlines()]
    assert done[0] == ["loaded"]
    stored = {found.id: found.access for found in index.ids(after=None, limit=10_000)}
    deleted = {int(line[1]) for line in done[1:] if line[0] == "delete"}
    for line in done[1:]:
        id_ = record_id(int(line[1]))
        if line[0] == "delete":
            assert id_ not in stored
        else:
            assert stored[id_] == (access(["ann"]) if line[0] == "patch" else access())
    # One write may have been applied and not acknowledged; everything else is as it was.
    untouched = set(range(200)) - deleted
    assert len({record_id(n) for n in untouched} - stored.keys()) <= 1


@pytest.mark.parametrize("options", [(), ("--rewrite",)], ids=["optimising", "compacting"])
@pytest.mark.parametrize("step", STEPS)
def test_a_kill_at_a_step_loses_nothing_acknowledged(
    tmp_path: Path, reopened: QdrantEdgeIndex, step: str, options: tuple[str, ...]
) -> None:
    log = tmp_path / "log"
    assert run_victim(tmp_path / "vectors", log, step, *options) == -signal.SIGKILL
    reopened.create()
    check_acknowledged(reopened, log)
    assert sorted(path.name[:6] for path in (tmp_path / "vectors").iterdir() if path.name != "current.new") == [
        "curren",
        "shard-",
    ]


@pytest.mark.parametrize("step", ["edge.made", "edge.pointer_prepared"])
def test_a_kill_while_an_index_is_made_leaves_room_to_make_it(
    tmp_path: Path, reopened: QdrantEdgeIndex, step: str
) -> None:
    assert run_victim(tmp_path / "vectors", tmp_path / "log", step) == -signal.SIGKILL
    reopened.create()
    assert list(reopened.ids(after=None, limit=1)) == []


def test_a_child_that_is_killed_leaves_the_index_as_it_was(tmp_path: Path, reopened: QdrantEdgeIndex) -> None:
    assert run_victim(tmp_path / "vectors", tmp_path / "log", "edge.child_optimised") == 1
    reopened.create()
    check_acknowledged(reopened, tmp_path / "log")
