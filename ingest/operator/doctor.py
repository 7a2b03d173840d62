"""Doctor: each finding says what is right, or what to do."""

import platform
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from ingest.catalog import durability
from ingest.errors import LockstepError
from ingest.lockstep import Lockstep

_LEAST_FREE = 1_000_000_000
_SHOWN = ("lockstep", "sqlalchemy", "qdrant-edge-py", "qdrant-client", "opensearch-py", "onnxruntime")
_CANARY = "Lockstep keeps two indexes in step."


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    part: str
    good: bool
    says: str
    do: str = ""


def doctor(lockstep: Lockstep) -> list[Finding]:
    """Look at everything; a part that is down is a finding and stops no other."""
    parts: list[Callable[[Lockstep], Iterator[Finding]]] = [
        _versions,
        _catalog,
        _stores,
        _model,
        _sources,
        _disk,
    ]
    found: list[Finding] = []
    for part in parts:
        try:
            found += part(lockstep)
        except LockstepError as error:
            name = part.__name__.strip("_")
            found.append(Finding(name, good=False, says=str(error), do="mend this, then run it again"))
    return found


def _versions(_: Lockstep) -> Iterator[Finding]:
    said = [f"Python {platform.python_version()}"]
    for package in _SHOWN:
        try:
            said.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    yield Finding("versions", good=True, says=", ".join(said))


def _catalog(lockstep: Lockstep) -> Iterator[Finding]:
    with lockstep.database.read() as tx:
        for setting, value, good, do in durability.look(tx):
            yield Finding("catalog", good=good, says=f"{setting} = {value}", do="" if good else do)


def _stores(lockstep: Lockstep) -> Iterator[Finding]:
    for name, store in (("lexical", lockstep.lexical), ("vector", lockstep.vector)):
        try:
            store.refresh()
            store.ids(after=None, limit=1)
        except LockstepError as error:
            yield Finding(name, good=False, says=str(error), do="start it, or correct its address in the settings")
        else:
            yield Finding(name, good=True, says="answers")


def _model(lockstep: Lockstep) -> Iterator[Finding]:
    model = lockstep.model
    vector = model.embed_query(_CANARY)
    sound = vector.shape == (model.dimension,) and bool(np.isfinite(vector).all()) and bool(vector.any())
    yield Finding(
        "model",
        good=sound,
        says=f"{model.name}: {model.dimension} dimensions, at most {model.tokens.limit} tokens",
        do="" if sound else "its answer to a test text is no vector of that size: check dimension and weights",
    )


def _sources(lockstep: Lockstep) -> Iterator[Finding]:
    if not lockstep.sources:
        yield Finding("sources", good=False, says="none is configured", do="add one under `sources` in the settings")
    for source in lockstep.sources:
        try:
            there = source.content.identity("")
        except LockstepError as error:
            yield Finding(f"source {source.name}", good=False, says=str(error), do="mount it, or correct its path")
        else:
            yield Finding(f"source {source.name}", good=True, says="can be read" if there else "answers")


def _disk(lockstep: Lockstep) -> Iterator[Finding]:
    data = lockstep.settings.data
    free = shutil.disk_usage(data if data.exists() else data.parent).free
    good = free > _LEAST_FREE
    yield Finding("disk", good=good, says=f"{free / 1e9:.1f} GB free", do="" if good else "free some space: below 1 GB")
