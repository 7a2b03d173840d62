"""The most memory that indexing 100,000 chunks takes, against the stand-in model and a bare Qdrant Edge shard.

Each runs in a process of its own and reports the peak of its resident set: `python -m bench.memory WHAT FOLDER`.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from uuid import uuid4

import qdrant_edge as edge
from rich.progress import Progress

from bench.corpus import Corpus
from bench.figures import Figure
from bench.installation import installation, scratch
from bench.models import DIMENSION, stand_in
from ingest.adapters.points import MOST_POINTS
from ingest.adapters.qdrant_edge.settings import QdrantEdgeSettings
from ingest.adapters.qdrant_edge.shard import WRITTEN, make
from ingest.model.principal import PUBLIC
from worker.runner import run_once

CHUNKS = 100_000
_MB = 1024 * 1024

Said = Callable[[int], None]
"""Told how many chunks are done."""


def run(progress: Progress) -> Sequence[Figure]:
    """The whole pipeline first, then the bare shard with points from the same documents."""
    with scratch() as folder:
        task = progress.add_task(f"writing {CHUNKS:,} chunks", total=CHUNKS)
        for brought in Corpus(folder / "docs").grow(CHUNKS):
            progress.advance(task, brought)
        pipeline = _in_child("pipeline", folder, progress)
        bare = _in_child("bare", folder, progress)
    return [
        Figure("indexing above model and bare shard", (pipeline - bare) / _MB, "MB", at_most=300),
        Figure("peak of indexing", pipeline / _MB, "MB"),
        Figure("peak of the stand-in model and a bare Qdrant Edge shard", bare / _MB, "MB"),
        Figure("chunks", CHUNKS, "chunks"),
    ]


def _in_child(what: str, folder: Path, progress: Progress) -> int:
    """The peak resident set of a child process, in bytes."""
    task = progress.add_task(f"memory: {what}", total=CHUNKS)
    line = [sys.executable, "-m", "bench.memory", what, str(folder)]
    said: dict[str, int] = {}
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for written in child.stdout:
            said = json.loads(written)
            progress.update(task, completed=said["chunks"])
    if child.returncode or said.get("chunks") != CHUNKS:
        raise RuntimeError(f"{' '.join(line)} ended with {child.returncode} after {said.get('chunks', 0)} chunks")
    return said["peak"]


def _pipeline(folder: Path, said: Said) -> None:
    with installation(folder, stand_in()) as lockstep:
        run_once(lockstep, lambda drained: said(drained.added))


def _bare(folder: Path, said: Said) -> None:
    """The same points by plain calls of the engine, in batches as the pipeline's."""
    model = stand_in()
    shard = make(folder / "bare", DIMENSION, QdrantEdgeSettings())
    payload = {"allow": [PUBLIC], "deny": [], "facets": [], WRITTEN: 0}
    done = 0
    for texts in _batches(folder / "docs"):
        rows = model.embed_passages(texts)
        points = [edge.Point(str(uuid4()), row.tolist(), {**payload, "document": done}) for row in rows]
        shard.update(edge.UpdateOperation.upsert_points(points, update_mode=edge.UpdateMode.InsertOnly))
        said(done := done + len(points))
    shard.flush()
    shard.close()


def _batches(root: Path) -> Iterator[list[str]]:
    batch: list[str] = []
    for path in sorted(root.rglob("*.md")):
        batch += path.read_text().split("\n\n## ")[1:]
        if len(batch) >= MOST_POINTS:
            yield batch
            batch = []
    if batch:
        yield batch


def _say(chunks: int) -> None:
    print(json.dumps({"chunks": chunks, "peak": _peak_bytes()}), flush=True)


def _peak_bytes() -> int:
    """The kernel's own high-water mark of this program; `getrusage` would begin with the parent's."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("this system does not tell a process's peak memory: run this benchmark on Linux")


if __name__ == "__main__":
    {"pipeline": _pipeline, "bare": _bare}[sys.argv[1]](Path(sys.argv[2]), _say)
