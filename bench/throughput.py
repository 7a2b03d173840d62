"""The whole pipeline, from the scan to the last publish, against the model alone on the same embedding inputs."""

import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from statistics import median

from rich.progress import Progress

from bench.figures import Figure
from bench.installation import index, installation, scratch
from bench.models import Wrapped

SAMPLE = Path(__file__).parents[1] / "deploy" / "sample" / "documents"
PAIRS = 5


def run(progress: Progress) -> Sequence[Figure]:
    """Pairs of runs, one after the other and in both orders, so that a busy machine slows both."""
    model = Wrapped()
    numbers = count()
    with scratch() as folder:
        _pipeline(folder / "warm", model, progress)
        inputs = list(model.inputs)
        ratios, alone, whole = [], [], []
        for pair in progress.track(range(PAIRS), description="pipeline against model"):
            steps = [lambda: alone.append(_alone(model, inputs)), lambda: whole.append(_pipeline(folder / str(next(numbers)), model, progress))]
            for step in steps if pair % 2 else reversed(steps):
                step()
            ratios.append(alone[-1] / whole[-1])
    return [
        Figure("pipeline's rate / model's rate, median of pairs", median(ratios), "ratio", at_least=0.9),
        Figure("lowest pair", min(ratios), "ratio"),
        Figure("highest pair", max(ratios), "ratio"),
        Figure("model alone", len(inputs) / median(alone), "inputs/s"),
        Figure("whole pipeline", len(inputs) / median(whole), "inputs/s"),
        Figure("inputs", len(inputs), "inputs"),
    ]


def _alone(model: Wrapped, inputs: Sequence[str]) -> float:
    """Seconds for all inputs in one call: the model sorts and batches them as suits it best."""
    begun = time.perf_counter()
    model.real.embed_passages(inputs)
    return time.perf_counter() - begun


def _pipeline(folder: Path, model: Wrapped, progress: Progress) -> float:
    """Seconds for one pass over the sample documents in a fresh installation."""
    folder.mkdir()
    model.inputs.clear()
    with installation(folder, model, documents=SAMPLE) as lockstep:
        begun = time.perf_counter()
        done = index(lockstep, progress, "the whole pipeline")
        took = time.perf_counter() - begun
    assert done.embedded == len(model.inputs)
    return took
