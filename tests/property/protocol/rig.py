"""Everything wired over one SQLite file in memory and the fakes, with a clock that only the driver moves."""

import random
import sqlite3
import tempfile
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Self
from unittest.mock import patch

from sqlalchemy import Connection, event, insert

from ingest import failpoints
from ingest.adapters.memory.content_source import MemoryContentSource
from ingest.adapters.memory.directory import MemoryDirectory
from ingest.adapters.memory.faults import Faults
from ingest.catalog import generations, indexing, sources
from ingest.catalog.database import Database
from ingest.catalog.indexing import BatchSizes, Lease
from ingest.catalog.tables import access_clock, metadata, principals
from ingest.indexing import accept, pipeline, stager
from ingest.indexing.accept import Acceptor
from ingest.indexing.access_fields import AccessFields
from ingest.indexing.chunks import ChunkMaker
from ingest.indexing.embedder import Embedder
from ingest.indexing.folder_look import FolderLook
from ingest.indexing.look import DocumentLook, LookSettings
from ingest.indexing.pipeline import Pipeline, PipelineSettings
from ingest.indexing.publisher import Published, Publisher
from ingest.indexing.stager import StagedDocument, Stager
from ingest.indexing.vacuum import Vacuum, VacuumSettings
from ingest.model.chunk import Passage
from ingest.model.codes import CodePattern
from ingest.model.record import RecordId
from ingest.model.source import Media
from ingest.ports import EmbeddingModel
from ingest.retrieval import legs
from ingest.retrieval.legs import Legs
from ingest.retrieval.searcher import RetrievalSettings, Searcher
from ingest.upkeep.audit import Audit
from ingest.upkeep.directory_sync import DirectorySync
from ingest.upkeep.retention import Retention
from ingest.upkeep.scan import Scan, ScanSettings
from tests.property.protocol.stores import LexicalStore, Model, Sent, VectorStore
from tests.property.protocol.strands import Executor, Floor

LEASE_S = 60.0
GRACE_S = 60.0
DAY_S = 86_400.0
FILTERABLE = ("category",)
_EPOCH_S = 1_700_000_000.0
_SHM = Path("/dev/shm")  # noqa: S108 -- a file in memory; where there is none, the ordinary temporary folder


class Time:
    """The database's clock and the file system's."""

    def __init__(self) -> None:
        self.now = _EPOCH_S

    def pass_(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    def ns(self) -> int:
        """Whole seconds: coarse, as file systems are, so that two edits may carry one time."""
        return int(self.now) * 1_000_000_000


class SteppedDatabase(Database):
    """One writer at a time, and a word after every commit. SQLite without a disk, under the driver's clock."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"sqlite:///{path}")
        self.path = path
        self.time = Time()
        self.floor = Floor()
        self.committed: Callable[[], None] = lambda: None
        for engine in (self._writer, self._reader):
            event.listen(engine, "connect", self._prepare)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        with self.floor.writing():
            with super().write() as tx:
                yield tx
            self.committed()

    def _prepare(self, connection: sqlite3.Connection, _entry: object) -> None:
        for pragma in ("synchronous=OFF", "secure_delete=OFF", "wal_autocheckpoint=200"):
            connection.execute(f"PRAGMA {pragma}")
        # `db_now()` is built on julianday('now'): this is how the driver owns the database's clock
        connection.create_function("julianday", 1, lambda _: self.time.now / DAY_S + 2_440_587.5)

    def empty(self) -> None:
        """Remove every row."""
        with self._writer.begin() as tx:
            tx.exec_driver_sql("PRAGMA defer_foreign_keys=ON")
            for table in reversed(metadata.sorted_tables):
                tx.execute(table.delete())


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


class SteppedHeartbeat:
    """Leases that the driver renews, instead of a thread."""

    alive: "list[SteppedHeartbeat]" = []  # noqa: RUF012 -- of one rig at a time

    def __init__(self, database: Database, *, lease_s: float, every_s: float) -> None:
        self._database = database
        self._lease_s = lease_s
        self._held: dict[int, Lease] = {}

    def __enter__(self) -> Self:
        self.alive.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        self.alive.remove(self)

    def hold(self, leases: Iterable[Lease]) -> None:
        self._held |= {lease.document_id: lease for lease in leases}

    def let_go(self, leases: Iterable[Lease]) -> None:
        for lease in list(leases):
            self._held.pop(lease.document_id, None)

    def beat(self) -> None:
        """One beat."""
        with self._database.write() as tx:
            indexing.renew(tx, list(self._held.values()), self._lease_s)


class SteppedPublisher(Publisher):
    """Small transactions, and a word about what was left out."""

    def __init__(self, database: Database, generation_id: int, left_out: Callable[[int], None]) -> None:
        super().__init__(database, generation_id, rows=4)
        self._told = left_out

    def publish(self, staged: Sequence[StagedDocument]) -> Published:
        published = super().publish(staged)
        self._told(len(published.left_out))
        return published


class Rig:
    """One world. Workers are made anew for every use, as after a restart: they keep nothing."""

    def __init__(self, database: SteppedDatabase, seed: str) -> None:
        database.empty()
        database.committed = lambda: None
        self.database = database
        self.time = database.time = Time()
        self.floor = database.floor = Floor()
        self.rng = random.Random(f"rig {seed}")
        self.sent = Sent()
        self.model_faults = Faults()
        self.patched: Callable[[Collection[RecordId]], None] = lambda _: None
        self.left_out: Callable[[int], None] = lambda _: None
        self.computing: Callable[[Sequence[str]], None] = lambda _: None
        self.model = Model(lambda inputs: self.computing(inputs), self.model_faults)
        self.lexical = LexicalStore(self.sent, lambda ids: self.patched(ids))
        self.vector = VectorStore(self.sent, lambda ids: self.patched(ids), self.model.dimension)
        self.lexical.create()
        self.vector.create()
        self.tree = MemoryContentSource(now_ns=self.time.ns)
        self.directory = MemoryDirectory()
        with database.write() as tx:
            tx.execute(insert(access_clock).values(id=1, value=0))
            tx.execute(insert(principals).values(id=0, name="public"))
            self.source = sources.ensure(tx, "docs", "directory", max_age_s=None)
            self.generation = generations.create(
                tx,
                state="active",
                fingerprint=self.model.fingerprint,
                dimension=self.model.dimension,
                settings={"chunker": "paragraphs"},
            )

    @property
    def acceptor(self) -> Acceptor:
        return Acceptor(self.database, Silent())

    @property
    def folder_look(self) -> FolderLook:
        return FolderLook(self.database, {self.source: self.tree}, self.acceptor, LookSettings(batch=2))

    @property
    def document_look(self) -> DocumentLook:
        return DocumentLook(self.database, {self.source: self.tree}, LookSettings(batch=3))

    @property
    def pipeline(self) -> Pipeline:
        made = Pipeline(
            self.database,
            self.generation.id,
            maker=ChunkMaker(Paragraphs(), self.model.passage_prompt, CodePattern(), FILTERABLE),
            embedder=Embedder(self.database, self.model, call_inputs=2),
            stager=Stager(self.database, self.lexical, self.vector),
            settings=PipelineSettings(sizes=BatchSizes(3, 2, 1), lease_s=LEASE_S),
        )
        made._publisher = SteppedPublisher(self.database, self.generation.id, self.left_out)
        return made

    @property
    def access_fields(self) -> AccessFields:
        return AccessFields(self.database, self.generation.id, self.lexical, self.vector, page=2, lease_s=LEASE_S)

    @property
    def vacuum(self) -> Vacuum:
        settings = VacuumSettings(grace_s=GRACE_S, second_delete_s=DAY_S, page=4)
        return Vacuum(self.database, self.generation.id, self.lexical, self.vector, settings)

    @property
    def audit(self) -> Audit:
        return Audit(self.database, self.generation.id, {"lexical": self.lexical, "vector": self.vector})

    @property
    def retention(self) -> Retention:
        return Retention(self.database)

    @property
    def sync(self) -> DirectorySync:
        return DirectorySync(self.database, "local", self.directory)

    @property
    def scan(self) -> Scan:
        settings = ScanSettings(hold_share=0.5, hold_least=3)
        return Scan(self.database, self.source, self.tree, self.acceptor, settings)

    def searcher(self, closure_limit: int = 50, model: EmbeddingModel | None = None) -> Searcher:
        found = Legs(self.lexical, self.vector)
        settings = RetrievalSettings(closure_limit=closure_limit)
        return Searcher(self.database, model or self.model, lambda _: found, settings=settings)

    @contextmanager
    def stepped(self) -> Iterator[None]:
        """Inside, failpoints are the floor's points, and nothing starts a thread or a random number of its own."""
        ids = SimpleNamespace(uuid4=lambda: uuid.UUID(int=self.rng.getrandbits(128), version=4))
        SteppedHeartbeat.alive.clear()
        with ExitStack() as stack:
            for module, name, stand_in in (
                (failpoints, "observer", self.floor.point),
                (pipeline, "ThreadPoolExecutor", lambda **_: Executor(self.floor, strands=True)),
                (pipeline, "Heartbeat", SteppedHeartbeat),
                (pipeline, "random", self.rng),
                (stager, "ThreadPoolExecutor", lambda **_: Executor(self.floor, strands=False)),
                (legs, "ThreadPoolExecutor", lambda **_: Executor(self.floor, strands=False)),
                (stager, "uuid", ids),
                (accept, "uuid", ids),
            ):
                stack.enter_context(patch.object(module, name, stand_in))
            yield


@contextmanager
def opened() -> Iterator[SteppedDatabase]:
    """A database for any number of rigs, one after the other; statements stay compiled."""
    with tempfile.TemporaryDirectory(dir=_SHM if _SHM.is_dir() else None) as folder:
        database = SteppedDatabase(Path(folder) / "catalog.db")
        metadata.create_all(database.engine)
        try:
            yield database
        finally:
            database.close()


def raw(database: SteppedDatabase) -> sqlite3.Connection:
    """A connection that goes past everything of ours."""
    return sqlite3.connect(database.path, check_same_thread=False, isolation_level=None)
