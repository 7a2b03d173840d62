"""Doctor: each finding says what is right, or what to do. A part that is down keeps nobody from the others."""

import platform
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Protocol

import numpy as np

from ingest.catalog import durability, migrate
from ingest.catalog.database import Database
from ingest.catalog.generations import Generation
from ingest.errors import LockstepError
from ingest.lockstep import Source
from ingest.operator import canary
from ingest.ports import Directory, EmbeddingModel, Examinable, Index, LexicalIndex, VectorIndex
from ingest.settings import Settings
from ingest.shape import differing, told

_LEAST_FREE = 1_000_000_000
_SHOWN = ("lockstep", "sqlalchemy", "qdrant-edge-py", "qdrant-client", "opensearch-py", "psycopg", "onnxruntime")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    part: str
    good: bool
    says: str
    do: str = ""


class Opened(Protocol):
    """What is looked at: a running installation, or parts that open when they are asked for."""

    @property
    def settings(self) -> Settings: ...
    @property
    def database(self) -> Database: ...
    @property
    def generation(self) -> Generation: ...
    @property
    def model(self) -> EmbeddingModel: ...
    @property
    def lexical(self) -> LexicalIndex: ...
    @property
    def vector(self) -> VectorIndex: ...
    @property
    def sources(self) -> tuple[Source, ...]: ...
    @property
    def directories(self) -> Mapping[str, Directory]: ...


def doctor(opened: Opened) -> list[Finding]:
    """Look at everything; never raises because one part is down."""
    parts: dict[str, Callable[[Opened], Iterator[Finding]]] = {
        "versions": _versions,
        "settings": _settings,
        "catalog": _catalog,
        "generation": _generation,
        "model": _model,
        "lexical": lambda opened: _store("lexical", opened.lexical),
        "vector": lambda opened: _store("vector", opened.vector),
        "sources": _sources,
        "directories": _directories,
        "disk": _disk,
    }
    found: list[Finding] = []
    for name, part in parts.items():
        try:
            found += part(opened)
        except LockstepError as error:
            found.append(Finding(name, good=False, says=str(error), do="mend this, then run `lockstep doctor` again"))
        except Exception as error:
            found.append(Finding(name, good=False, says=f"failed with {type(error).__name__}", do="see the log"))
    return found


def _versions(_: Opened) -> Iterator[Finding]:
    said = [f"Python {platform.python_version()}", f"SQLite {sqlite3.sqlite_version}"]
    for package in _SHOWN:
        try:
            said.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    yield Finding("versions", good=True, says=", ".join(said))


def _settings(opened: Opened) -> Iterator[Finding]:
    settings = opened.settings
    stores = f"words {settings.lexical.kind}, vectors {settings.vector.kind}, model {settings.model.kind}"
    yield Finding("settings", good=True, says=stores)
    if not settings.user:
        do = "say `user: user:NAME` in the settings, or ask with --as"
        yield Finding("settings", good=False, says="a search without --as finds only what is public", do=do)
    if not settings.sources:
        yield Finding("settings", good=False, says="no source is configured", do="add one under `sources`")


def _catalog(opened: Opened) -> Iterator[Finding]:
    with opened.database.read() as tx:
        at = migrate.current(tx)
        good = at == migrate.head()
        do = "" if good else "`lockstep run --once` brings it up to date"
        yield Finding("catalog", good=good, says=f"{tx.dialect.name}, revision {at}", do=do)
        for setting, value, fine, advice in durability.look(tx):
            yield Finding("catalog", good=fine, says=f"{setting} = {value}", do="" if fine else advice)


def _generation(opened: Opened) -> Iterator[Finding]:
    known = opened.generation
    names = differing(known, opened.settings, opened.model)
    says = f"{known.id} ({known.state}), made by model {known.settings.get('model')}"
    yield Finding("generation", good=not names, says=says, do=told(known, names) if names else "")


def _model(opened: Opened) -> Iterator[Finding]:
    model = opened.model
    vector = canary.vector_of(model)
    sound = vector.shape == (model.dimension,) and bool(np.isfinite(vector).all()) and bool(vector.any())
    says = f"{model.name}: {model.dimension} dimensions, at most {model.tokens.limit} tokens"
    wrong = "its answer to a test text is no vector of that size: check dimension and weights"
    yield Finding("model", good=sound, says=says, do="" if sound else wrong)
    alike = canary.likeness(opened.database, opened.generation.id, vector) if sound else None
    if alike is not None:
        good = alike >= canary.LEAST_ALIKE
        do = "" if good else "the model changed under its name: set it back, or index into a fresh installation"
        yield Finding("model", good=good, says=f"answers a known text as before (cosine {alike:.4f})", do=do)


def _store(name: str, store: Index) -> Iterator[Finding]:
    store.refresh()
    store.ids(after=None, limit=1)
    yield Finding(name, good=True, says="answers")
    if isinstance(store, Examinable):
        for one in store.examine():
            do = "" if one.good else one.do
            yield Finding(name, good=one.good, says=f"{one.name} = {one.value}", do=do)


def _sources(opened: Opened) -> Iterator[Finding]:
    for source in opened.sources:
        part = f"source {source.name}"
        try:
            source.content.folder("")
        except LockstepError as error:
            yield Finding(part, good=False, says=str(error), do="mount it, or correct its path in the settings")
        else:
            yield Finding(part, good=True, says="can be read")


def _directories(opened: Opened) -> Iterator[Finding]:
    for name, directory in opened.directories.items():
        part = f"directory {name}"
        try:
            edges = len(directory.memberships())
        except LockstepError as error:
            yield Finding(part, good=False, says=str(error), do="mend the groups file; until then nothing is changed")
        else:
            yield Finding(part, good=True, says=f"{edges} memberships")


def _disk(opened: Opened) -> Iterator[Finding]:
    if not opened.settings.embedded:
        return
    data = opened.settings.data
    free = shutil.disk_usage(data if data.exists() else data.parent).free
    good = free > _LEAST_FREE
    yield Finding("disk", good=good, says=f"{free / 1e9:.1f} GB free", do="" if good else "free some space: below 1 GB")
