"""What an edit of one paragraph costs, from its acceptance to its publish, in corpora that differ a hundredfold."""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Self

from rich.progress import Progress

from bench.corpus import Corpus
from bench.figures import Figure, percentile
from bench.installation import fill, installation, scratch
from bench.models import stand_in
from ingest.lockstep import Lockstep
from ingest.model.event import DocumentHint
from ingest.settings import UpkeepSettings

SIZES = (1_000, 10_000, 100_000)
EDITS = 200
WARM_UP = 20


def run(progress: Progress) -> Sequence[Figure]:
    """Random edits with the stand-in model, in three installations by turns, so that a busy machine slows all alike."""
    with scratch() as folder, ExitStack() as until_the_end:
        subjects = [_Subject.filled(folder / str(size), size, progress, until_the_end) for size in SIZES]
        for number in progress.track(range(-WARM_UP, EDITS), description="editing"):
            for subject in subjects:
                edited, vacuumed = subject.edit(number)
                if number >= 0:
                    subject.edits.append(edited)
                    subject.vacuums.append(vacuumed)
    smallest, largest = subjects[0], subjects[-1]
    growth = median(largest.edits) / median(smallest.edits)
    flat = Figure(f"median at {largest.size:,} / at {smallest.size:,} chunks", growth, "ratio", at_most=1.2)
    return [flat, *(figure for subject in subjects for figure in subject.figures())]


@dataclass(slots=True)
class _Subject:
    """An installation of one size. Seconds of each edit, and of the vacuum of what it closed."""

    size: int
    lockstep: Lockstep
    corpus: Corpus
    edits: list[float] = field(default_factory=list)
    vacuums: list[float] = field(default_factory=list)

    @classmethod
    def filled(cls, folder: Path, size: int, progress: Progress, until_the_end: ExitStack) -> Self:
        """Opened in a folder until the end, and filled."""
        folder.mkdir()
        # without the grace period, so that what an edit closed can be deleted, and timed, at once
        opened = installation(folder, stand_in(), upkeep=UpkeepSettings(grace_s=0.0))
        lockstep = until_the_end.enter_context(opened)
        corpus = Corpus(folder / "docs")
        fill(lockstep, corpus, size, progress)
        return cls(size, lockstep, corpus)

    def edit(self, number: int) -> tuple[float, float]:
        """Rewrite one paragraph; seconds from its acceptance to its publish, and of the vacuum after it."""
        (source,) = self.lockstep.sources
        document = self.corpus.some()
        text = self.corpus.edited(document, f"edit{number + WARM_UP}")
        self.corpus.path(document).write_text(text)
        begun = time.perf_counter()
        self.lockstep.acceptor.accept(source.id, [DocumentHint(self.corpus.key(document))])
        done = self.lockstep.drain()
        published = time.perf_counter()
        vacuumed = self.lockstep.vacuum.run()
        ended = time.perf_counter()
        assert (done.documents, done.embedded, done.added, done.closed) == (1, 1, 1, 1)
        assert vacuumed["deleted"] == 1
        return published - begun, ended - published

    def figures(self) -> Iterator[Figure]:
        """What was measured at this size."""
        p95 = percentile(self.edits, 0.95)
        yield Figure(f"{self.size:,} chunks: p95 / median", p95 / median(self.edits), "ratio", at_most=3.0)
        yield Figure(f"{self.size:,} chunks: edit, median", median(self.edits) * 1e3, "ms")
        yield Figure(f"{self.size:,} chunks: edit, p95", p95 * 1e3, "ms")
        yield Figure(f"{self.size:,} chunks: vacuum after it, median", median(self.vacuums) * 1e3, "ms")
        yield Figure(f"{self.size:,} chunks: vacuum after it, p95", percentile(self.vacuums, 0.95) * 1e3, "ms")
