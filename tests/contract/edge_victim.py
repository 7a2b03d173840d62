"""A process that optimises an index while it writes at every failpoint, to be killed at one of them.

    python -m tests.contract.edge_victim DIRECTORY LOG [--rewrite]

Every acknowledged write is a line in LOG: `add N`, `patch N` or `delete N`.
"""

import os
import sys
from pathlib import Path

import numpy as np

from ingest import failpoints
from ingest.adapters.qdrant_edge.index import QdrantEdgeIndex
from tests.contract.records import access, record, record_id
from tests.contract.vector_index import DIMENSION, at_cosine

LOCKED = "edge.pointer_prepared"
"""Passed while writes are held back."""


def add(index: QdrantEdgeIndex, *numbers: int) -> None:
    rows = np.array([at_cosine(0.9 - n / 10_000) for n in numbers])
    index.add([record(n) for n in numbers], rows, findable=True)


class Writer:
    """Adds, patches and deletes one record each time it is called."""

    def __init__(self, index: QdrantEdgeIndex, log: Path) -> None:
        self.index = index
        self.log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.next = 0

    def __call__(self, name: str) -> None:
        if name == LOCKED:
            return
        n = self.next
        self.next += 1
        add(self.index, 1_000 + n)
        self.note(f"add {1_000 + n}")
        self.index.patch_access({record_id(n): access(["ann"])})
        self.note(f"patch {n}")
        self.index.delete([record_id(100 + n)])
        self.note(f"delete {100 + n}")

    def note(self, line: str) -> None:
        os.write(self.log, f"{line}\n".encode())


def main() -> None:
    index = QdrantEdgeIndex(Path(sys.argv[1]), dimension=DIMENSION)
    index.create()
    add(index, *range(200))
    writer = Writer(index, Path(sys.argv[2]))
    writer.note("loaded")
    failpoints.observer = writer
    if "--rewrite" in sys.argv:
        index.compact()
    else:
        index.optimise()
    failpoints.observer = None
    writer("the end")


if __name__ == "__main__":
    main()
