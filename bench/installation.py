"""An embedded installation in a folder of its own, and what benchmarks do to it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.progress import Progress

from bench.corpus import Corpus
from ingest.bootstrap import bootstrap
from ingest.indexing.pipeline import Drained
from ingest.lockstep import Lockstep
from ingest.model.principal import PUBLIC
from ingest.model.query import Answer, Question
from ingest.ports import EmbeddingModel
from ingest.settings import DirectorySource, Settings
from worker.runner import run_once


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder that goes with the block. On the disk that `TMPDIR` names: syncing is part of what is measured."""
    with TemporaryDirectory(prefix="lockstep-bench-") as folder:
        yield Path(folder)


def settings_for(folder: Path, documents: Path, **knobs: Any) -> Settings:
    """Defaults, for documents that everybody may read."""
    return Settings(data=folder / "data", sources={"docs": DirectorySource(path=documents, allow=("public",))}, **knobs)


@contextmanager
def installation(
    folder: Path, model: EmbeddingModel, documents: Path | None = None, **knobs: Any
) -> Iterator[Lockstep]:
    """Opened on `documents`, or on `folder/docs`."""
    documents = documents or folder / "docs"
    documents.mkdir(exist_ok=True)
    with bootstrap(settings_for(folder, documents, **knobs), model=model) as lockstep:
        yield lockstep


def fill(lockstep: Lockstep, corpus: Corpus, chunks: int, progress: Progress) -> None:
    """Write documents and index them until the installation holds so many chunks."""
    missing = chunks - corpus.documents * corpus.sections
    task = progress.add_task(f"writing {chunks:,} chunks", total=max(missing, 0))
    for brought in corpus.grow(chunks):
        progress.advance(task, brought)
    progress.remove_task(task)
    index(lockstep, progress, f"indexing {chunks:,} chunks", missing)


def index(lockstep: Lockstep, progress: Progress, said: str, chunks: int | None = None) -> Drained:
    """One pass over everything."""
    task = progress.add_task(said, total=chunks)
    done = run_once(lockstep, lambda drained: progress.update(task, completed=drained.added))
    progress.remove_task(task)
    if done.drained.failed or done.drained.held:
        raise RuntimeError(f"not everything was indexed: {done.drained}; {'; '.join(done.problems)}")
    return done.drained


def ask(lockstep: Lockstep, text: str) -> Answer:
    """A search as anybody."""
    return lockstep.searcher.search(Question(text, frozenset({PUBLIC})))
