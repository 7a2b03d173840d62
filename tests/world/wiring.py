"""Everything of one installation over a catalog and the fakes. Steps are made anew for each use: they keep nothing."""

from collections.abc import Callable

from ingest.adapters.memory.content_source import MemoryContentSource
from ingest.adapters.memory.directory import MemoryDirectory
from ingest.adapters.memory.embedding_model import MemoryEmbeddingModel
from ingest.adapters.memory.lexical_index import MemoryLexicalIndex
from ingest.adapters.memory.vector_index import MemoryVectorIndex
from ingest.catalog import generations, sources
from ingest.catalog.database import Database
from ingest.catalog.indexing import BatchSizes
from ingest.indexing.accept import Acceptor
from ingest.indexing.access_fields import AccessFields
from ingest.indexing.chunks import ChunkMaker
from ingest.indexing.embedder import Embedder
from ingest.indexing.folder_look import FolderLook
from ingest.indexing.look import DocumentLook, LookSettings
from ingest.indexing.pipeline import Batch, Pipeline, PipelineSettings
from ingest.indexing.stager import Stager
from ingest.indexing.vacuum import Vacuum, VacuumSettings
from ingest.model.chunk import Passage
from ingest.model.codes import CodePattern
from ingest.model.record import Record
from ingest.model.source import Media
from ingest.retrieval.legs import Legs
from ingest.retrieval.searcher import RetrievalSettings, Searcher
from ingest.upkeep.audit import Audit
from ingest.upkeep.directory_sync import DirectorySync
from ingest.upkeep.retention import Retention
from ingest.upkeep.scan import Scan, ScanSettings
from ingest.upkeep.sweep import Sweep

SECOND_LOOK_S = 30.0
"""When a folder whose access file vanished is looked at again: only `World.age` brings that about."""
UNSTORABLE = "unstorable"
"""The fake stores refuse a record with this word for good."""
UNEMBEDDABLE = "unembeddable"
"""The model refuses an input with this word."""
FILTERABLE = ("category",)


class Paragraphs:
    """A cutter: what stands between blank lines is a passage."""

    def passages(self, text: str, *, media: Media) -> tuple[Passage, ...]:
        return tuple(Passage(part) for part in text.split("\n\n") if part.strip())


class Silent:
    """A doorbell nobody hears: work is found by state."""

    def ring(self, queue: str) -> None:
        pass

    def wait(self, queue: str, timeout_s: float) -> bool:
        return False


class OneBatch(Pipeline):
    """A worker that goes home after one batch: it does not take again what it has lost."""

    _claimed = False

    def _claim(self) -> Batch | None:
        if self._claimed:
            return None
        self._claimed = True
        return super()._claim()


class Wiring:
    """One source, one directory, one active generation, and the steps over them."""

    def __init__(self, database: Database) -> None:
        """`database` is migrated and holds nothing yet."""
        self.database = database
        self.tree = MemoryContentSource()
        self.directory = MemoryDirectory()
        self.refuse: Callable[[str], str | None] = refuses_input
        """Sees every input of the model: why that one is refused, or raises what the whole call shall raise."""
        self.model = MemoryEmbeddingModel(dimension=32, refuse=self._asked)
        self.lexical = MemoryLexicalIndex(refuses=_refuses)
        self.vector = MemoryVectorIndex(dimension=32, refuses=_refuses)
        self.lexical.create()
        self.vector.create()
        self.legs = Legs(self.lexical, self.vector)
        # no heartbeat: a test that lets a lease run out means it
        self.pipeline_settings = PipelineSettings(heartbeat_s=3_600.0)
        self.retrieval_settings = RetrievalSettings(closure_limit=20)
        with database.write() as tx:
            self.source_id = sources.ensure(tx, "docs", "directory", max_age_s=None)
            self.generation_id = generations.create(
                tx,
                state="active",
                fingerprint=self.model.fingerprint,
                dimension=self.model.dimension,
                settings={"chunker": "paragraphs"},
            ).id

    def _asked(self, text: str) -> str | None:
        return self.refuse(text)

    @property
    def acceptor(self) -> Acceptor:
        return Acceptor(self.database, Silent())

    @property
    def folder_look(self) -> FolderLook:
        looks = LookSettings(again_s=0.0)
        return FolderLook(self.database, {self.source_id: self.tree}, self.acceptor, looks, SECOND_LOOK_S)

    @property
    def document_look(self) -> DocumentLook:
        return DocumentLook(self.database, {self.source_id: self.tree}, LookSettings(again_s=0.0))

    def pipeline(self, stager: Stager, kind: type[Pipeline] = Pipeline) -> Pipeline:
        """Close the stager afterwards."""
        return kind(
            self.database,
            self.generation_id,
            maker=ChunkMaker(Paragraphs(), self.model.passage_prompt, CodePattern(), FILTERABLE),
            embedder=Embedder(self.database, self.model, call_inputs=16),
            stager=stager,
            settings=self.pipeline_settings,
        )

    def stager(self) -> Stager:
        return Stager(self.database, self.lexical, self.vector)

    @property
    def access_fields(self) -> AccessFields:
        return AccessFields(self.database, self.generation_id, self.lexical, self.vector, page=3)

    @property
    def vacuum_step(self) -> Vacuum:
        return Vacuum(self.database, self.generation_id, self.lexical, self.vector, VacuumSettings(page=10))

    @property
    def audit_step(self) -> Audit:
        return Audit(self.database, self.generation_id, {"lexical": self.lexical, "vector": self.vector})

    @property
    def retention(self) -> Retention:
        return Retention(self.database)

    @property
    def sweep_step(self) -> Sweep:
        return Sweep(self.database, self.generation_id)

    @property
    def directory_sync(self) -> DirectorySync:
        return DirectorySync(self.database, "local", self.directory)

    @property
    def scan_step(self) -> Scan:
        return Scan(self.database, self.source_id, self.tree, self.acceptor, ScanSettings())

    @property
    def searcher(self) -> Searcher:
        return Searcher(self.database, self.model, lambda _: self.legs, settings=self.retrieval_settings)

    def close(self) -> None:
        """End the threads of searches, and every connection."""
        self.legs.close()
        self.database.close()


SMALL_BATCHES = BatchSizes(4, 2, 1)


def refuses_input(text: str) -> str | None:
    """What the model does by itself."""
    return UNEMBEDDABLE if UNEMBEDDABLE in text else None


def _refuses(record: Record) -> str | None:
    return UNSTORABLE if UNSTORABLE in record.text else None
