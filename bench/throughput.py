"""The whole pipeline, from the scan to the last publish, against the model alone on the same embedding inputs."""

import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from rich.progress import Progress

from bench.corpus import SAMPLE
from bench.figures import Figure
from bench.installation import index, installation, scratch
from bench.models import Wrapped

COPIES = 3
PAIRS = 3


def run(progress: Progress) -> Sequence[Figure]:
    """Pairs of runs, one after the other and in both orders, so that a busy machine slows both."""
    model = Wrapped()
    with scratch() as folder:
        documents = folder / "documents"
        _write_documents(documents)
        inputs = _warm_up(folder, model, documents, progress)
        alone: list[Took] = []
        whole: list[Took] = []
        for pair in progress.track(range(PAIRS), description="pipeline against model"):
            if pair % 2:
                alone.append(_alone(model, inputs))
            whole.append(_pipeline(folder / f"pair{pair}", model, documents, progress))
            if not pair % 2:
                alone.append(_alone(model, inputs))
    ratios = [a.wall_s / w.wall_s for a, w in zip(alone, whole, strict=True)]
    return [
        Figure("pipeline's rate / model's rate, median of pairs", median(ratios), "ratio", at_least=0.9),
        Figure("lowest pair", min(ratios), "ratio"),
        Figure("highest pair", max(ratios), "ratio"),
        Figure("the same by processor time", _cpu(alone) / _cpu(whole), "ratio"),
        Figure("model alone", len(inputs) / median(took.wall_s for took in alone), "inputs/s"),
        Figure("whole pipeline", len(inputs) / median(took.wall_s for took in whole), "inputs/s"),
        Figure("inputs", len(inputs), "inputs"),
    ]


class Took:
    """How long a block took, by the clock and in processor time of this process."""

    def __enter__(self) -> "Took":
        self._begun = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall_s = time.perf_counter() - self._begun[0]
        self.cpu_s = time.process_time() - self._begun[1]


def _cpu(runs: Sequence[Took]) -> float:
    return median(took.cpu_s for took in runs)


def _write_documents(root: Path) -> None:
    """The sample corpus a few times over. Each copy of a paragraph is marked as such, or the cache would know it."""
    for copy in range(COPIES):
        for path in sorted(SAMPLE.rglob("*.md")):
            written = root / f"copy{copy}" / path.relative_to(SAMPLE)
            written.parent.mkdir(parents=True, exist_ok=True)
            lines = path.read_text().splitlines()
            # a paragraph's last line ends with a full stop; tables, code and headings stay as they are
            written.write_text("\n".join(f"{line} ({copy})" if line.endswith(".") else line for line in lines) + "\n")


def _warm_up(folder: Path, model: Wrapped, documents: Path, progress: Progress) -> list[str]:
    """One run that is not measured; gives the embedding inputs."""
    _pipeline(folder / "warm", model, documents, progress)
    return list(model.inputs)


def _alone(model: Wrapped, inputs: Sequence[str]) -> Took:
    """All inputs in one call: the model sorts and batches them as suits it best."""
    with Took() as took:
        model.real.embed_passages(inputs)
    return took


def _pipeline(folder: Path, model: Wrapped, documents: Path, progress: Progress) -> Took:
    """One pass over the documents in a fresh installation."""
    folder.mkdir()
    model.inputs.clear()
    with installation(folder, model, documents) as lockstep, Took() as took:
        done = index(lockstep, progress, "the whole pipeline")
    assert done.embedded == len(model.inputs)
    return took
