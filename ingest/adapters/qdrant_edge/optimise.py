"""The child process that optimises a copy of a shard: the engine holds the interpreter's lock while it does.

    python -m ingest.adapters.qdrant_edge.optimise COPY [--into NEW]

With `--into` the points of COPY are first written into the new shard NEW, which then holds nothing deleted.
The shape travels as JSON on standard input: {"dimension": …, "settings": {…}}.
"""

import argparse
import ctypes
import json
import os
import signal
import sys
from pathlib import Path

import qdrant_edge as edge

from ingest.adapters.points import MOST_POINTS
from ingest.adapters.qdrant_edge.layout import sync_directory
from ingest.adapters.qdrant_edge.settings import QdrantEdgeSettings
from ingest.adapters.qdrant_edge.shard import load, make
from ingest.failpoints import failpoint

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Optimise, and have everything on the disk when it ends with 0."""
    parser = argparse.ArgumentParser(prog="python -m ingest.adapters.qdrant_edge.optimise")
    parser.add_argument("copy", type=Path)
    parser.add_argument("--into", type=Path)
    arguments = parser.parse_args()
    shape = json.load(sys.stdin)
    dimension, settings = shape["dimension"], QdrantEdgeSettings(**shape["settings"])
    _die_with_the_parent()
    os.nice(settings.optimising_niceness)
    shard = load(arguments.copy, dimension, settings)
    if arguments.into:
        source, shard = shard, make(arguments.into, dimension, settings)
        _carry_over(source, shard)
        source.close()
    shard.optimize()
    failpoint("edge.child_optimised")
    shard.flush()
    shard.close()
    _sync(arguments.into or arguments.copy)


def _carry_over(source: edge.EdgeShard, target: edge.EdgeShard) -> None:
    offset: edge.PointId | None = None
    while True:
        request = edge.ScrollRequest(offset=offset, limit=MOST_POINTS, with_payload=True, with_vector=True)
        records, offset = source.scroll(request)
        points = [edge.Point(stored.id, stored.vector or [], stored.payload) for stored in records]
        if points:
            target.update(edge.UpdateOperation.upsert_points(points))
        if offset is None:
            return


def _sync(directory: Path) -> None:
    for folder, _, files in os.walk(directory):
        for name in files:
            with (Path(folder) / name).open("rb") as file:
                os.fsync(file.fileno())
        sync_directory(Path(folder))


def _die_with_the_parent() -> None:
    if sys.platform == "linux":  # elsewhere the work of an orphan goes to waste, no more
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main()
