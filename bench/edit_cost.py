"""What an edit of one paragraph costs, from its acceptance to its publish, while the corpus grows a hundredfold."""

import time
from collections.abc import Iterator, Sequence
from statistics import median

from rich.progress import Progress

from bench.corpus import Corpus
from bench.figures import Figure, percentile
from bench.installation import fill, installation, scratch
from bench.models import stand_in
from ingest.lockstep import Lockstep
from ingest.model.event import DocumentHint
from ingest.settings import UpkeepSettings

SIZES = (1_000, 10_000)
EDITS = 200
WARM_UP = 20


def run(progress: Progress) -> Sequence[Figure]:
    """Random edits in one growing installation with the stand-in model; after each its closed record is vacuumed."""
    figures: list[Figure] = []
    medians: list[float] = []
    with (
        scratch() as folder,
        # without the grace period, so that what an edit closed can be deleted, and timed, at once
        installation(folder, stand_in(), upkeep=UpkeepSettings(grace_s=0.0)) as lockstep,
    ):
        corpus = Corpus(folder / "docs")
        for size in SIZES:
            fill(lockstep, corpus, size, progress)
            edits, vacuums = _measure(lockstep, corpus, size, progress)
            medians.append(median(edits))
            figures += _figures(size, edits, vacuums)
    flat = Figure(
        f"median at {SIZES[-1]:,} / median at {SIZES[0]:,} chunks", medians[-1] / medians[0], "ratio", at_most=1.5
    )
    return [flat, *figures]


def _figures(size: int, edits: Sequence[float], vacuums: Sequence[float]) -> Iterator[Figure]:
    yield Figure(f"{size:,} chunks: p95 / median", percentile(edits, 0.95) / median(edits), "ratio", at_most=3.0)
    yield Figure(f"{size:,} chunks: edit, median", median(edits) * 1e3, "ms")
    yield Figure(f"{size:,} chunks: edit, p95", percentile(edits, 0.95) * 1e3, "ms")
    yield Figure(f"{size:,} chunks: vacuum after it, median", median(vacuums) * 1e3, "ms")
    yield Figure(f"{size:,} chunks: vacuum after it, p95", percentile(vacuums, 0.95) * 1e3, "ms")


def _measure(
    lockstep: Lockstep, corpus: Corpus, size: int, progress: Progress
) -> tuple[Sequence[float], Sequence[float]]:
    """Seconds of each edit, and of the vacuum after it."""
    (source,) = lockstep.sources
    edits: list[float] = []
    vacuums: list[float] = []
    for number in progress.track(range(WARM_UP + EDITS), description=f"editing among {size:,} chunks"):
        document = corpus.some()
        text = corpus.edited(document, f"edit{size}x{number}")
        corpus.path(document).write_text(text)
        begun = time.perf_counter()
        lockstep.acceptor.accept(source.id, [DocumentHint(corpus.key(document))])
        done = lockstep.drain()
        published = time.perf_counter()
        vacuumed = lockstep.vacuum.run()
        ended = time.perf_counter()
        assert (done.documents, done.embedded, done.added, done.closed) == (1, 1, 1, 1)
        assert vacuumed["deleted"] == 1
        edits.append(published - begun)
        vacuums.append(ended - published)
    return edits[WARM_UP:], vacuums[WARM_UP:]
