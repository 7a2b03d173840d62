"""One opened installation: the catalog, the model, the sources, and the stores of the active generation.

`bootstrap` makes it; processes and commands use it. Steps live in their own modules, their order in `drain`.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import TracebackType
from typing import Self

from ingest.catalog.database import Database
from ingest.catalog.generations import Generation
from ingest.catalog.indexing import BatchSizes
from ingest.indexing.accept import Acceptor
from ingest.indexing.access_fields import AccessFields
from ingest.indexing.chunks import ChunkMaker
from ingest.indexing.embedder import Embedder
from ingest.indexing.folder_look import FolderLook
from ingest.indexing.look import DocumentLook, LookOutcome, LookSettings
from ingest.indexing.orphans import end_orphans
from ingest.indexing.pipeline import Drained, Pipeline, PipelineSettings
from ingest.indexing.stager import Stager
from ingest.indexing.vacuum import Vacuum, VacuumSettings
from ingest.model.codes import CodePattern
from ingest.ports import ContentSource, Directory, Doorbell, EmbeddingModel, LexicalIndex, VectorIndex
from ingest.retrieval.legs import Legs
from ingest.retrieval.searcher import RetrievalSettings, Searcher
from ingest.settings import Settings
from ingest.upkeep.audit import Audit
from ingest.upkeep.directory_sync import DirectorySync
from ingest.upkeep.retention import Retention
from ingest.upkeep.scan import Scan, ScanSettings
from ingest.upkeep.sweep import Sweep

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Source:
    """A configured source: its row in the catalog, its name, and how it is looked at."""

    id: int
    name: str
    content: ContentSource


@dataclass(frozen=True)
class Lockstep:
    """Everything opened. Close it, or use it as a context."""

    settings: Settings
    database: Database
    model: EmbeddingModel
    maker: ChunkMaker
    generation: Generation
    lexical: LexicalIndex
    vector: VectorIndex
    sources: tuple[Source, ...]
    directories: Mapping[str, Directory]
    doorbell: Doorbell
    _closing: list[Callable[[], None]] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Release threads, files and connections."""
        for part in ("stager", "legs"):
            if part in self.__dict__:
                self.__dict__[part].close()
        self.lexical.close()
        self.vector.close()
        self.database.close()

    # the steps, each made on first use

    @cached_property
    def acceptor(self) -> Acceptor:
        """Takes events."""
        return Acceptor(self.database, self.doorbell, self.settings.watch.settle_max_s)

    @cached_property
    def _looks(self) -> tuple[FolderLook, DocumentLook]:
        contents = {source.id: source.content for source in self.sources}
        looks = LookSettings(lease_s=self.settings.indexing.lease_s, batch=self.settings.indexing.batch)
        folders = FolderLook(self.database, contents, self.acceptor, looks, self.settings.watch.quiet_s)
        return folders, DocumentLook(self.database, contents, looks)

    @cached_property
    def stager(self) -> Stager:
        """Writes both stores."""
        return Stager(self.database, self.lexical, self.vector)

    @cached_property
    def pipeline(self) -> Pipeline:
        """Drains the generation."""
        knobs = self.settings.indexing
        return Pipeline(
            self.database,
            self.generation.id,
            maker=self.maker,
            embedder=Embedder(self.database, self.model, knobs.call_inputs),
            stager=self.stager,
            settings=PipelineSettings(
                sizes=BatchSizes(knobs.batch, knobs.batch_after_crash),
                lease_s=knobs.lease_s,
                heartbeat_s=knobs.heartbeat_s,
                attempts_alone=knobs.attempts_alone,
                backoff_s=knobs.backoff_s,
                backoff_most_s=knobs.backoff_most_s,
            ),
        )

    @cached_property
    def access_fields(self) -> AccessFields:
        """Brings access fields to the access in force."""
        return AccessFields(
            self.database, self.generation.id, self.lexical, self.vector, lease_s=self.settings.indexing.lease_s
        )

    @cached_property
    def vacuum(self) -> Vacuum:
        """Deletes what no reader can accept."""
        knobs = self.settings.upkeep
        return Vacuum(
            self.database,
            self.generation.id,
            self.lexical,
            self.vector,
            VacuumSettings(knobs.grace_s, knobs.second_delete_s),
        )

    @cached_property
    def legs(self) -> Legs:
        """Asks both stores."""
        return Legs(self.lexical, self.vector)

    @cached_property
    def searcher(self) -> Searcher:
        """Answers questions."""
        knobs = self.settings.search
        return Searcher(
            self.database,
            self.model,
            lambda _: self.legs,
            CodePattern(self.settings.indexing.codes),
            RetrievalSettings(
                candidates=knobs.candidates,
                candidates_most=knobs.candidates_most,
                closure_limit=knobs.closure_limit,
            ),
        )

    @cached_property
    def audit(self) -> Audit:
        """Compares catalog and stores."""
        return Audit(self.database, self.generation.id, {"lexical": self.lexical, "vector": self.vector})

    @cached_property
    def retention(self) -> Retention:
        """Forgets what is old."""
        keep = self.settings.upkeep.retention_s
        return Retention(self.database, keep, keep, keep)

    @cached_property
    def sweep(self) -> Sweep:
        """Sets due what something forgot to."""
        return Sweep(self.database, self.generation.id)

    def scan(self, source: Source) -> Scan:
        """Compares one source with the catalog."""
        knobs = self.settings.watch
        return Scan(
            self.database, source.id, source.content, self.acceptor, ScanSettings(knobs.hold_share, knobs.hold_least)
        )

    def directory_syncs(self) -> list[DirectorySync]:
        """One per directory of people and groups."""
        return [DirectorySync(self.database, name, directory) for name, directory in self.directories.items()]

    # the order of the work

    def look(self) -> dict[LookOutcome, int]:
        """Look at everything due: folders first, since documents wait for them."""
        folders, documents = self._looks
        total: dict[LookOutcome, int] = {}
        while True:
            done = folders.drain() or documents.drain()
            if not done:
                while end_orphans(self.database):
                    pass
                return total
            for outcome, count in done.items():
                total[outcome] = total.get(outcome, 0) + count

    def heal_access(self) -> int:
        """Bring access fields to the access in force; returns how many documents were patched."""
        while self.access_fields.fan_out():
            pass
        patched = 0
        while done := self.access_fields.patch():
            patched += done
        return patched

    def drain(self, progress: Callable[[Drained], None] = lambda _: None) -> Drained:
        """Do what is due now: looks, access fields, indexing. Narrowings come before everything else."""
        self.look()
        self.heal_access()
        done = self.pipeline.drain(progress)
        self.heal_access()
        return done
