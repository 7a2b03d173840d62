"""From a save to the text being searchable: `run` watches, the default model embeds, the embedded stores hold a corpus.

A save is searchable when its publish is committed; a search begun then finds it, which is checked each time. The corpus
is filled with quick vectors under the model's name: what is in a vector costs nothing.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from threading import Event

from rich.progress import Progress

from bench.corpus import Corpus
from bench.figures import Figure, percentile
from bench.installation import ask, fill, installation, scratch
from bench.models import Wrapped
from ingest import failpoints
from ingest.bootstrap import open_watcher
from ingest.lockstep import Lockstep
from worker.runner import Runner

SIZES = (2_000, 20_000)
SAVES = 60
WARM_UP = 3
_PAUSE_S = 0.3
_PATIENCE_S = 30.0

_PUBLISHED = "publish.after_commit"
_STEPS = {
    "accept.after_commit": "noticed and accepted",
    "look.before_read": "settled (50 ms) and begun to look",
    "look.after_commit": "looked at and stored",
    "plan.done": "planned and chunked",
    "embed.after_commit": "embedded",
    "stage.after_note": "staged in the catalog",
    "stage.after_write": "written to both stores",
    _PUBLISHED: "published",
}
"""Points that a save passes, in order, with what was done by then."""


def run(progress: Progress) -> Sequence[Figure]:
    """Saves by close and by rename in turn, one document after the other, in one growing installation."""
    model = Wrapped()
    figures: list[Figure] = []
    with scratch() as folder:
        corpus = Corpus(folder / "docs")
        for size in SIZES:
            with installation(folder, model) as lockstep:
                model.filling = True
                fill(lockstep, corpus, size, progress)
                model.filling = False
                figures += _measure(lockstep, corpus, size, progress)
    return figures


class Timeline:
    """When a save passed each point, in seconds since it began. Points are passed in several threads."""

    def __init__(self) -> None:
        self._begun = 0.0
        self._passed: dict[str, float] = {}
        self.published = Event()

    def begin(self) -> None:
        """A save begins now."""
        self._passed = {}
        self.published.clear()
        self._begun = time.perf_counter()

    def passed(self, point: str) -> None:
        """Note a point the first time."""
        self._passed.setdefault(point, time.perf_counter() - self._begun)
        if point == _PUBLISHED:
            self.published.set()

    def elapsed(self, point: str) -> float:
        """Seconds from the beginning of the save to a point."""
        return self._passed[point]

    def steps(self) -> Iterator[tuple[str, float]]:
        """What was done, and how long after the point before it."""
        before = 0.0
        for point, done in _STEPS.items():
            yield done, self._passed[point] - before
            before = self._passed[point]


def _measure(lockstep: Lockstep, corpus: Corpus, size: int, progress: Progress) -> Iterator[Figure]:
    took: list[float] = []
    alone: list[float] = []
    steps: dict[str, list[float]] = {done: [] for done in _STEPS.values()}
    timeline = Timeline()
    with _running(lockstep), _observed(timeline):
        for number in progress.track(range(-WARM_UP, SAVES), description=f"saving among {size:,} chunks"):
            time.sleep(_PAUSE_S)
            marker = f"save{size}x{number + WARM_UP}"
            document = corpus.some()
            text = corpus.edited(document, marker)
            seconds = _save(corpus.path(document), text, timeline, by_rename=number % 2 == 0)
            assert any(marker in hit.text for hit in ask(lockstep, marker).hits)
            if number >= 0:
                took.append(seconds)
                alone.append(_model_alone(lockstep, text))
                for done, lasted in timeline.steps():
                    steps[done].append(lasted)
    yield Figure(f"save to searchable, {size:,} chunks, median", median(took) * 1e3, "ms", at_most=150)
    yield Figure(f"save to searchable, {size:,} chunks, p95", percentile(took, 0.95) * 1e3, "ms")
    for done, lasted_s in steps.items():
        yield Figure(f"  {done}, median", median(lasted_s) * 1e3, "ms")
    yield Figure("  for comparison: the model alone on one input, median", median(alone) * 1e3, "ms")


@contextmanager
def _running(lockstep: Lockstep) -> Iterator[None]:
    """`run`, watching, with its first scan behind it."""
    runner = Runner(lockstep, partial(open_watcher, lockstep.settings), lambda _: None)
    runner.start()
    try:
        if not runner.ready.wait(_PATIENCE_S):
            raise TimeoutError("the first scan did not end")
        yield
    finally:
        runner.stop()


@contextmanager
def _observed(timeline: Timeline) -> Iterator[None]:
    failpoints.observer = timeline.passed
    try:
        yield
    finally:
        failpoints.observer = None


def _save(path: Path, text: str, timeline: Timeline, *, by_rename: bool) -> float:
    """Seconds from the call that ends the save until its publish is committed."""
    save: Callable[[], None]
    if by_rename:
        new = path.with_name(f".{path.name}.tmp")
        new.write_text(text)
        save = partial(os.replace, new, path)
    else:
        file = path.open("w")
        file.write(text)
        save = file.close
    timeline.begin()
    save()
    if not timeline.published.wait(_PATIENCE_S):
        raise TimeoutError(f"{path} was saved and did not become searchable")
    return timeline.elapsed(_PUBLISHED)


def _model_alone(lockstep: Lockstep, text: str) -> float:
    """Seconds that the model takes for one paragraph."""
    begun = time.perf_counter()
    lockstep.model.embed_passages([text.split("\n\n## ")[1]])
    return time.perf_counter() - begun
