"""A pass over 5,000 files of which none has changed."""

import time
from collections.abc import Sequence
from statistics import median

from rich.progress import Progress

from bench.corpus import Corpus
from bench.figures import Figure
from bench.installation import index, installation, scratch
from bench.models import stand_in
from worker.runner import run_once

FILES = 5_000
SECTIONS = 1
PASSES = 5


def run(progress: Progress) -> Sequence[Figure]:
    """The scan by itself, and `run --once` as a whole, which also drains and stops cleanly."""
    model = stand_in()
    with scratch() as folder, installation(folder, model) as lockstep:
        corpus = Corpus(folder / "docs", sections=SECTIONS)
        task = progress.add_task(f"writing {FILES:,} files", total=FILES)
        for brought in corpus.grow(FILES * SECTIONS):
            progress.advance(task, brought)
        index(lockstep, progress, f"indexing {FILES:,} files", FILES * SECTIONS)
        embedded = model.inputs
        scans, passes = [], []
        (source,) = lockstep.sources
        for _ in progress.track(range(PASSES), description="scanning"):
            begun = time.perf_counter()
            scanned = lockstep.scan(source).run()
            scans.append(time.perf_counter() - begun)
            assert scanned.listed == FILES
            assert not scanned.changed
            begun = time.perf_counter()
            run_once(lockstep)
            passes.append(time.perf_counter() - begun)
        assert model.inputs == embedded
    return [
        Figure(f"`run --once` over {FILES:,} unchanged files, median", median(passes), "s", at_most=3.0),
        Figure("slowest", max(passes), "s"),
        Figure("the scan in it, median", median(scans), "s"),
    ]
