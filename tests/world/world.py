"""The world of a test: what happens at the source, the steps that follow it, and what readers are given."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from ingest.adapters.memory.content_tree import Folder
from ingest.catalog.database import Database
from ingest.indexing.look import LookOutcome
from ingest.indexing.orphans import end_orphans
from ingest.indexing.pipeline import Drained, Pipeline
from ingest.model.access import AccessRules, Policy, PolicyKind
from ingest.model.event import DocumentDeleted, DocumentHint, Event, FolderHint
from ingest.model.principal import Principal
from ingest.model.query import Answer, Question
from ingest.model.record import Filters
from ingest.model.source import DocumentSeen
from ingest.upkeep.audit import Audited
from tests.world import threads, times
from tests.world.rows import Rows
from tests.world.threads import Pause, ResultT, Worker
from tests.world.wiring import OneBatch, Wiring

_ROUNDS = 200


class World(Wiring, Rows):
    """One installation whose source, people and workers a test moves by hand.

    Changes at the source are hinted at once, unless `hint=False`; nothing follows from a hint until a step is taken.
    The source is synced and empty at first, and its root states no policy: nobody.
    """

    def __init__(self, database: Database) -> None:
        """`database` is migrated and holds nothing yet."""
        super().__init__(database)
        self._workers: list[Worker[Any]] = []

    def begin(self) -> "World":
        """Scan the empty source, so that it counts as synced."""
        self.scan()
        return self

    def close(self) -> None:
        """Wait for workers that a test left behind, then release everything."""
        for worker in self._workers:
            worker.wait()
        super().close()

    # the source

    def write(self, key: str, text: str | DocumentSeen, *, hint: bool = True) -> None:
        """Create or change a document, folders on the way included."""
        self.tree.write(key, text)
        if hint:
            self.hint(key)

    def remove(self, key: str, *, hint: bool = True) -> None:
        """Remove a document, or a folder with everything in it."""
        was_folder = isinstance(self.tree.find(key), Folder)
        self.tree.remove(key)
        if hint:
            self.accept(FolderHint(key) if was_folder else DocumentHint(key))

    def move(self, old: str, new: str, *, hint: bool = True) -> None:
        """Rename a document or a folder: two hints, of the old place and of the new one."""
        is_folder = isinstance(self.tree.find(old), Folder)
        self.tree.move(old, new)
        if hint:
            kind = FolderHint if is_folder else DocumentHint
            self.accept(kind(old), kind(new, self.tree.identity(new)))

    def access(self, folder: str, rules: AccessRules | None, *, hint: bool = True) -> None:
        """Write a folder's access file, or remove it."""
        self.tree.set_access(folder, rules)
        if hint:
            self.hint_folder(folder)

    def state(self, folder: str, *allow: Principal, deny: tuple[Principal, ...] = (), hint: bool = True) -> None:
        """Let a folder's access file state who reads what is below it; nobody, when nobody is named."""
        policy = Policy(PolicyKind.STATED, frozenset(allow), frozenset(deny))
        self.access(folder, replace(self._rules(folder), policy=policy), hint=hint)

    def inherit(self, folder: str, *, hint: bool = True) -> None:
        """Let a folder's access file state nothing."""
        self.access(folder, replace(self._rules(folder), policy=Policy()), hint=hint)

    def allow(self, folder: str, *principals: Principal, hint: bool = True) -> None:
        """Let more principals in than the folder's access file did before."""
        before = self._rules(folder).policy
        self.state(folder, *before.allow, *principals, deny=tuple(before.deny), hint=hint)

    def deny(self, folder: str, *principals: Principal, hint: bool = True) -> None:
        """Keep more principals out; what is allowed stays as it is stated or inherited."""
        before = self._rules(folder)
        policy = replace(before.policy, deny=before.policy.deny | frozenset(principals))
        self.access(folder, replace(before, policy=policy), hint=hint)

    def _rules(self, folder: str) -> AccessRules:
        at = self.tree.find(folder)
        return (at.rules if isinstance(at, Folder) else None) or AccessRules()

    # people

    def join(self, member: Principal, group: Principal, *, sync: bool = True) -> None:
        """Let a user or group belong to a group; in force at once, unless `sync=False`."""
        self.directory.add(group, member)
        if sync:
            self.sync()

    def leave(self, member: Principal, group: Principal, *, sync: bool = True) -> None:
        """Let it belong there no longer."""
        self.directory.remove(group, member)
        if sync:
            self.sync()

    def sync(self) -> tuple[int, int]:
        """Bring memberships to what the directory says."""
        return self.directory_sync.run()

    # events

    def accept(self, *events: Event, ids: tuple[str, ...] | None = None) -> int:
        """Events that arose together; returns how many were new."""
        return self.acceptor.accept(self.source_id, events, ids)

    def hint(self, key: str) -> None:
        """A document may have changed, appeared or gone."""
        self.accept(DocumentHint(key, self.tree.identity(key)))

    def hint_folder(self, key: str) -> None:
        """A folder or its access file may have."""
        self.accept(FolderHint(key, self.tree.identity(key)))

    def delete(self, key: str) -> None:
        """Somebody entitled to it says that a document is deleted. The source keeps what it has."""
        self.accept(DocumentDeleted(key))

    # steps

    def look_at_folders(self) -> dict[LookOutcome, int]:
        """One claim of folder looks."""
        return self.folder_look.drain()

    def look_at_documents(self) -> dict[LookOutcome, int]:
        """One claim of document looks."""
        return self.document_look.drain()

    def look(self) -> None:
        """All looks that are due, folders first; documents of folders that ended follow once nothing else moves."""
        for _ in range(_ROUNDS):
            done = self.look_at_folders() or self.look_at_documents()
            if not done.keys() - {LookOutcome.AGAIN} and not end_orphans(self.database) and not done:
                return
        raise AssertionError("looks never end")

    def index(self) -> Drained:
        """Everything that is due in the generation, by one worker of its own."""
        return self._index(Pipeline)

    def index_batch(self) -> Drained:
        """One batch, by a worker that does not take again what it loses meanwhile."""
        return self._index(OneBatch)

    def _index(self, kind: type[Pipeline]) -> Drained:
        stager = self.stager()
        try:
            return self.pipeline(stager, kind).drain()
        finally:
            stager.close()

    def fan_out(self) -> None:
        """Expand what folder changes left, until each document concerned is due."""
        for _ in range(_ROUNDS):
            if not self.access_fields.fan_out():
                return
        raise AssertionError("fan-out never ends")

    def patch_access(self) -> int:
        """Fan out, then bring the access fields of due documents to the access in force; returns how many."""
        self.fan_out()
        patched = 0
        while done := self.access_fields.patch():
            patched += done
        return patched

    def drain(self) -> Drained:
        """Everything, until nothing is due."""
        total = Drained()
        for _ in range(_ROUNDS):
            self.look()
            patched = self.patch_access()
            done = self.index()
            for name in ("documents", "embedded", "reused", "added", "closed", "held", "failed"):
                setattr(total, name, getattr(total, name) + getattr(done, name))
            if not done.documents and not patched:
                return total
        raise AssertionError("the drain never ends")

    def scan(self) -> None:
        """Scan the source, look at what differs, and count it as synced."""
        self.scan_step.run()
        self.look()
        self.scan_step.finish()

    def sweep(self) -> int:
        """Set due whatever something forgot to; returns how much."""
        return self.sweep_step.run()

    def vacuum(self) -> dict[str, int]:
        """One pass: nothing is deleted that was closed within the grace period (`age` moves it into the past)."""
        return self.vacuum_step.run()

    def audit(self) -> Audited:
        """Compare catalog and stores."""
        return self.audit_step.run()

    def repair(self) -> None:
        """Set right what an audit finds, and drain."""
        self.audit_step.repair(self.audit())
        self.drain()

    # readers

    def ask(self, question: str, *caller: Principal, limit: int = 10, filters: Filters | None = None) -> Answer:
        """What a caller is answered."""
        return self.searcher.search(Question(question, frozenset(caller), limit, filters or {}))

    def visible_text(self, key: str, *caller: Principal) -> str:
        """Everything of a document that a caller gets, in document order; '' for nothing."""
        hits = {hit.id: hit.text for hit in self.ask("anything", *caller, limit=200).hits if hit.document == key}
        return "\n\n".join(hits[record] for record in self.ordered(hits))

    # time and threads

    def age(self, seconds: float) -> None:
        """Everything stored happened, or falls due, so many seconds earlier."""
        times.age(self.database, seconds)

    def expire_leases(self) -> None:
        """Every lease that somebody holds has run out."""
        times.expire_leases(self.database)

    def start_worker(self, step: Callable[[], ResultT], name: str = "worker") -> Worker[ResultT]:
        """A step in a thread of its own."""
        worker = Worker(step, name)
        self._workers.append(worker)
        return worker

    def pause_at(self, point: str) -> AbstractContextManager[Pause]:
        """Hold the first thread that passes a failpoint, until `release` or the end of the block."""
        return threads.pause_at(point)
