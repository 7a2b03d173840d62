"""The order of the steps for one generation: claim, plan, embed, stage, publish; and nothing else.

The embedding of one batch overlaps the staging and publishing of the one before.
"""

import logging
import random
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from ingest.catalog import contents, documents, indexing, records
from ingest.catalog.database import Database
from ingest.catalog.indexing import BatchSizes, Lease
from ingest.errors import GenerationGone, LeaseLost, LockstepError, Permanent, StoreFull, Transient
from ingest.failpoints import failpoint
from ingest.indexing.chunks import ChunkMaker
from ingest.indexing.embedder import Embedded, Embedder, Vectors
from ingest.indexing.heartbeat import Heartbeat
from ingest.indexing.planner import Plan, plan_document
from ingest.indexing.publisher import Published, Publisher
from ingest.indexing.stager import Stager

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """Times in seconds."""

    sizes: BatchSizes = field(default_factory=BatchSizes)
    lease_s: float = 60.0
    heartbeat_s: float = 15.0
    attempts_alone: int = 3
    backoff_s: float = 1.0
    backoff_most_s: float = 300.0


@dataclass(slots=True)
class Drained:
    """What a drain did."""

    documents: int = 0
    embedded: int = 0
    reused: int = 0
    added: int = 0
    closed: int = 0
    held: int = 0
    failed: int = 0
    epoch: int | None = None

    def add(self, published: Published) -> None:
        """Count a publish."""
        self.documents += published.documents
        self.added += published.added
        self.closed += published.closed
        self.epoch = published.epoch or self.epoch


@dataclass(slots=True)
class Batch:
    """Leased documents on their way."""

    leases: list[Lease]
    plans: list[tuple[Lease, Plan]] = field(default_factory=list)
    vectors: Vectors = field(default_factory=dict)


class Pipeline:
    """Drains one generation: brings documents that are behind to their wanted version."""

    def __init__(
        self,
        database: Database,
        generation_id: int,
        *,
        maker: ChunkMaker,
        embedder: Embedder,
        stager: Stager,
        settings: PipelineSettings,
    ) -> None:
        self._database = database
        self._generation_id = generation_id
        self._maker = maker
        self._embedder = embedder
        self._stager = stager
        self._publisher = Publisher(database, generation_id)
        self._settings = settings

    def drain(self, progress: Callable[[Drained], None] = lambda _: None) -> Drained:
        """Work until nothing is due. Raises only what no document is to blame for and waiting does not mend."""
        done = Drained()
        beat = Heartbeat(self._database, lease_s=self._settings.lease_s, every_s=self._settings.heartbeat_s)
        with beat, ThreadPoolExecutor(max_workers=1, thread_name_prefix="publish") as behind:
            before: Future[None] | None = None
            while (batch := self._claim()) is not None:
                beat.hold(batch.leases)
                try:
                    ready = self._prepare(batch, done)
                    if before is not None:
                        before.result()
                        progress(done)
                except LockstepError as error:
                    # no document is to blame: without a verdict it would count as one whose worker died
                    self._back_off(batch.leases, error, done)
                    raise
                before = behind.submit(self._finish, batch, done, beat) if ready else None
                if not ready:
                    beat.let_go(batch.leases)
                if before is not None and batch.leases[0].alone:
                    before.result()
                    before = None
            if before is not None:
                before.result()
        progress(done)
        return done

    def plan(self, document_ids: Sequence[int]) -> list[Plan]:
        """What indexing documents would change, without doing it."""
        with self._database.read() as tx:
            loaded = contents.load(tx, document_ids)
            open_records = records.open_of(tx, self._generation_id, document_ids)
        return [plan_document(i, c.version, open_records.get(i, []), self._maker.chunks(c)) for i, c in loaded.items()]

    def _claim(self) -> Batch | None:
        with self._database.write() as tx:
            leases = indexing.claim(
                tx,
                self._generation_id,
                sizes=self._settings.sizes,
                lease_s=self._settings.lease_s,
                attempts_alone=self._settings.attempts_alone,
            )
        failpoint("claim.after_commit")
        return Batch(leases) if leases else None

    def _prepare(self, batch: Batch, done: Drained) -> bool:
        """Plan and embed. False when nothing is left of the batch."""
        try:
            self._plan(batch, done)
            failpoint("plan.done")
            added = [addition.chunk for _, plan in batch.plans for addition in plan.add]
            embedded = self._embedder.embed_missing(added)
            self._drop_rejected(batch, embedded, done)
            added = [addition.chunk for _, plan in batch.plans for addition in plan.add]
            batch.vectors = self._embedder.load(added)
        except Transient as error:
            self._back_off(batch.leases, error, done)
            return False
        done.embedded += embedded.computed
        done.reused += embedded.reused
        return bool(batch.plans)

    def _plan(self, batch: Batch, done: Drained) -> None:
        ids = [lease.document_id for lease in batch.leases]
        with self._database.read() as tx:
            # contents before documents: a delete between the two statements then shows as deleted, never as unknown
            loaded = contents.load(tx, ids)
            known = documents.versions(tx, ids)
            open_records = records.open_of(tx, self._generation_id, ids)
        unknown: list[Lease] = []
        for lease in batch.leases:
            i = lease.document_id
            # a document that was forgotten since it was claimed is as one without content
            version, deleted = known.get(i, (0, False))
            content = loaded.get(i)
            if deleted:
                batch.plans.append((lease, plan_document(i, version, open_records.get(i, []), ())))
            elif content is None:
                unknown.append(lease)
            else:
                try:
                    chunks = self._maker.chunks(content)
                except Permanent as error:
                    self._hold(lease, str(error), done)
                    continue
                batch.plans.append((lease, plan_document(i, content.version, open_records.get(i, []), chunks)))
        if unknown:
            with self._database.write() as tx:
                indexing.release(tx, unknown, again_in_s=1.0)

    def _drop_rejected(self, batch: Batch, embedded: Embedded, done: Drained) -> None:
        if not embedded.rejected:
            return
        kept: list[tuple[Lease, Plan]] = []
        for lease, plan in batch.plans:
            refused = [
                f"chunk {number}: {embedded.rejected[addition.chunk.input_hash]}"
                for number, addition in enumerate(plan.add, 1)
                if addition.chunk.input_hash in embedded.rejected
            ]
            if refused:
                self._hold(lease, f"the embedding model refuses {refused[0]}", done)
            else:
                kept.append((lease, plan))
        batch.plans = kept

    def _finish(self, batch: Batch, done: Drained, beat: Heartbeat) -> None:
        """Stage and publish."""
        beat.let_go(lease for lease in batch.leases if lease not in {lease for lease, _ in batch.plans})
        try:
            staged = self._stager.stage(batch.plans, batch.vectors)
            for lease, reason in staged.refused:
                self._hold(lease, f"a store refuses a record: {reason}", done)
            published = self._publisher.publish(staged.documents)
        except LeaseLost:
            return
        except Transient as error:
            self._back_off([lease for lease, _ in batch.plans], error, done)
            return
        except (StoreFull, GenerationGone) as error:
            self._back_off([lease for lease, _ in batch.plans], error, done)
            raise
        finally:
            beat.let_go(batch.leases)
        done.add(published)
        log.info(
            "published",
            extra={
                "event": "publish.done",
                "generation": self._generation_id,
                "epoch": published.epoch,
                "documents": published.documents,
                "added": published.added,
                "closed": published.closed,
            },
        )

    def _hold(self, lease: Lease, reason: str, done: Drained) -> None:
        done.held += 1
        log.warning("held", extra={"event": "index.held", "document": lease.document_id, "reason": reason})
        with self._database.write() as tx:
            indexing.hold(tx, lease, reason)

    def _back_off(self, leases: Sequence[Lease], error: LockstepError, done: Drained) -> None:
        done.failed += len(leases)
        log.warning("backing off", extra={"event": "index.backoff", "documents": len(leases), "reason": str(error)})
        with self._database.write() as tx:
            indexing.back_off(
                tx,
                leases,
                base_s=self._settings.backoff_s,
                most_s=self._settings.backoff_most_s,
                jitter=random.random(),  # noqa: S311 -- spreads retries, protects nothing
            )
