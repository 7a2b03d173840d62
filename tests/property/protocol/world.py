"""A rig under the driver's hand: processes that are started, held, let go and killed, and what came of them."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from ingest.adapters.memory.directory import MemoryDirectory
from ingest.adapters.memory.faults import Faults
from ingest.errors import ContentUnreadable, Refused, Superseded, TooManyGroups, Transient
from ingest.indexing.orphans import end_orphans
from ingest.model.event import Event
from ingest.model.query import Answer
from ingest.model.source import Membership
from ingest.upkeep.scan import Scanned
from tests.property.protocol import answers
from tests.property.protocol.answers import Asked
from tests.property.protocol.changes import GROUPS, USERS, Changes
from tests.property.protocol.model import Oracle
from tests.property.protocol.occurrences import Occurrences
from tests.property.protocol.profiles import Profile
from tests.property.protocol.rig import Rig, SteppedDatabase
from tests.property.protocol.strands import Process, Stop
from tests.property.protocol.violation import Violation

CALLERS = {
    **{name.rpartition(":")[2]: frozenset({name}) for name in (*USERS, GROUPS[0])},
    "ann+red": frozenset({USERS[0], GROUPS[0]}),
    "nobody": frozenset(),
}


class ToldDirectory(MemoryDirectory):
    """Says what it was asked, and by whom."""

    def __init__(self, told: Callable[[frozenset[Membership]], None]) -> None:
        super().__init__()
        self._told = told

    def memberships(self) -> frozenset[Membership]:
        said = super().memberships()
        self._told(said)
        return said


class World:
    """Everything of one run."""

    def __init__(self, database: SteppedDatabase, seed: str, profile: Profile, occurrences: Occurrences) -> None:
        self.profile = profile
        self.occurrences = occurrences
        self.rig = Rig(database, seed)
        self.rig.directory = ToldDirectory(self._told)
        self.changes = Changes(self.rig)
        self.oracle = Oracle(self.rig, CALLERS)
        self.held: list[Process] = []
        self.accepted: list[tuple[Event, str]] = []
        self.told: dict[str, object] = {}
        """What was at a key when an event about it was acknowledged."""
        self.rng = random.Random(f"world {seed}")
        self._names = 0
        self.rig.floor.passed = self._passed
        self.rig.database.committed = self.oracle.committed
        self.rig.patched = self.oracle.patched
        self.rig.left_out = lambda number: occurrences.count("index", "left out", number)
        self.rig.computing = self.oracle.computing
        self.rig.tree.on_read = self._reading

    def close(self) -> None:
        """Kill whoever is still there."""
        for process in self.held:
            self.rig.floor.kill(process)
        self.rig.database.committed = lambda: None
        self.oracle.close()

    # processes

    def start(self, kind: str, work: Callable[[], Any], stop: Stop | None = None, **facts: Any) -> Process:
        """A process, run until its stop, its end, or until it waits for another one."""
        self._names += 1
        self.rig.time.pass_(0.002)
        process = Process(self.rig.floor, f"{kind} {self._names}", kind, stop=stop, facts=facts)
        process.start(work)
        self.go_on(process)
        return process

    def go_on(self, process: Process, stop: Stop | None = None) -> None:
        """Let a process go on, to its next stop or its end."""
        if process in self.held:
            self.held.remove(process)
        process.stop = stop or process.stop
        crashes = bool(process.stop and process.stop.crash)
        self.rig.floor.advance(process, self.rng.choice)
        if process.done and process.dying:
            self.occurrences.count("crashed at", str(process.held_at))
        elif process.done:
            self._ended(process)
        else:
            self.held.append(process)
            if process.held_at is not None:
                self.occurrences.count("held at", process.held_at)
            else:
                self.occurrences.count("step", "wait for another one's transaction")
        self._raise(crashes=crashes)

    def kill(self, process: Process) -> None:
        """A held process dies where it stands."""
        self.held.remove(process)
        self.occurrences.count("crashed at", process.held_at or "database.write")
        self.rig.floor.kill(process)
        self._raise(crashes=True)

    def finish_all(self, *kinds: str) -> None:
        """Let held processes, of some kinds or of all, go on to their ends."""
        for _ in range(100):
            found = [process for process in self.held if not kinds or process.kind in kinds]
            if not found:
                return
            for process in found:
                process.stop = None
                self.go_on(process)
            if kinds and all(p.held_at is None for p in found if p in self.held):
                self.finish_all()  # they wait for one of another kind
        raise AssertionError(f"these never end: {[(p.name, p.held_at) for p in self.held]}")

    def _raise(self, *, crashes: bool) -> None:
        if self.oracle.violation is not None:
            raise self.oracle.violation

    def _ended(self, process: Process) -> None:
        error = process.error
        if error is None:
            self._came_of(process, process.main.result)
        elif isinstance(error, (Transient, Refused, Superseded)):
            self.occurrences.count("refusal", type(error).__name__)
            if process.kind == "ask" and isinstance(error, TooManyGroups) and "limit" not in process.facts:
                raise Violation("P1", "a caller with few groups was refused") from error
        else:
            raise error

    def _came_of(self, process: Process, result: Any) -> None:
        count = self.occurrences.count
        match process.kind:
            case "ask":
                answers.check(self.oracle, process, result)
                count("answer", "with hits" if result.hits else "empty")
                if result.pending:
                    count("answer", "pending")
                if process.facts.get("restarts"):
                    count("refusal", "a reader's snapshot was gone", process.facts["restarts"])
            case "look" | "folder look":
                for outcome, number in result.items():
                    count(process.kind, str(outcome), number)
            case "index":
                for name in ("documents", "held", "failed"):
                    if number := getattr(result, name):
                        count("index", name, number)
            case "scan":
                if isinstance(result, Scanned) and result.held:
                    count("refusal", "a suspicious drop was held", 1)
            case "sync":
                self.oracle.synced(process)
            case "repair":
                for name, number in result.items():
                    count("repair", name, number)

    def due(self) -> dict[str, int]:
        """How much there is to do now, for kinds of processes that look for work."""
        now = self.rig.time.now
        row = self.oracle.db.execute(
            "SELECT (SELECT count(*) FROM documents WHERE look_ready_at <= :now AND deleted_at IS NULL), "
            "(SELECT count(*) FROM folders WHERE look_ready_at <= :now AND deleted_at IS NULL), "
            "(SELECT count(*) FROM indexing WHERE published_version < wanted_version AND held IS NULL "
            " AND ready_at <= :now), "
            "(SELECT count(*) FROM indexing WHERE access_due AND (NOT leased OR ready_at <= :now)) "
            " + (SELECT count(*) FROM access_work), "
            "(SELECT count(*) FROM documents d JOIN folders f ON f.id = d.folder_id "
            " WHERE d.deleted_at IS NULL AND f.deleted_at NOT NULL), "
            "(SELECT count(*) FROM sources WHERE state <> 'live')",
            {"now": now},
        ).fetchone()
        kinds = ("look", "folder look", "index", "access", "orphans", "scan end")
        edges = self.rig.directory._edges ^ self.oracle.catalog.edges
        return dict(zip(kinds, row, strict=True)) | {"accept": len(self.changes.hints), "sync": len(edges)}

    # what processes do

    def work(self, kind: str, rng: random.Random) -> tuple[Callable[[], Any], dict[str, Any]] | None:
        """The work of one kind of process, or None where there is nothing it could be given."""
        rig = self.rig
        match kind:
            case "accept":
                return self._accept(rng)
            case "look":
                return rig.document_look.drain, {}
            case "folder look":
                return rig.folder_look.drain, {}
            case "orphans":
                return (lambda: end_orphans(rig.database)), {}
            case "index":
                return rig.pipeline.drain, {}
            case "access":
                return self._heal_access, {}
            case "vacuum":
                return rig.vacuum.run, {}
            case "scan":
                return rig.scan.run, {}
            case "scan end":
                return rig.scan.finish, {}
            case "sync":
                return rig.sync.run, {}
            case "repair":
                return self._repair, {}
            case "retention":
                return rig.retention.run, {}
            case "ask":
                grouped = [n for n, caller in CALLERS.items() if len(self.oracle.closures[n]) > len(caller) + 1]
                name = rng.choice(grouped if grouped and rng.random() < 0.6 else list(CALLERS))
                asked = Asked(name, rng.choice([None, None, None, "one"]))
                return self.asking(asked), {"asked": asked}
        raise ValueError(kind)

    def asking(self, asked: Asked) -> Callable[[], Answer]:
        """A reader."""
        question = asked.question(CALLERS[asked.name])
        return lambda: self.rig.searcher().search(question)

    def accepting(self, events: Sequence[Event], ids: Sequence[str]) -> Callable[[], int]:
        """Somebody sends events."""

        def accept() -> int:
            known = self.rig.acceptor.accept(self.rig.source, events, ids)
            self.accepted += zip(events, ids, strict=True)
            self.told |= {event.key: self.rig.tree.find(event.key) for event in events}
            return known

        return accept

    def _accept(self, rng: random.Random) -> tuple[Callable[[], Any], dict[str, Any]] | None:
        waiting = self.changes.hints
        if not waiting:
            return None
        chosen = sorted(rng.sample(range(len(waiting)), rng.randint(1, min(4, len(waiting)))))
        events = [waiting[i] for i in chosen]
        if rng.random() < 0.8:  # else they come again, as other events
            self.changes.hints = [event for i, event in enumerate(waiting) if i not in chosen]
        else:
            self.occurrences.count("step", "hints that come twice")
        if rng.random() < 0.3:
            rng.shuffle(events)
        return self.accepting(events, [f"e{rng.getrandbits(60)}" for _ in events]), {}

    def _heal_access(self) -> int:
        while self.rig.access_fields.fan_out():
            pass
        patched = 0
        while done := self.rig.access_fields.patch():
            patched += done
        return patched

    def _repair(self) -> dict[str, int]:
        audit = self.rig.audit
        return audit.repair(audit.run())

    # what the fakes and the floor tell

    def _passed(self, process: Process, point: str) -> None:
        self.occurrences.count("passed", point)
        self.oracle.passed(process, point)
        if process.kind == "ask":
            answers.passed(self.oracle, process, point)

    def _reading(self, key: str) -> None:
        if key in self.changes.unreadable:
            raise ContentUnreadable("its bytes make no text")
        self.oracle.reading(self.rig.floor.process, key)
        self.rig.floor.point("source.read")

    def _told(self, said: frozenset[Membership]) -> None:
        if (process := self.rig.floor.process) is not None:
            self.oracle.directory_read(process, said)

    @property
    def faults(self) -> dict[str, Faults]:
        """Of every fake."""
        rig = self.rig
        return {
            "lexical": rig.lexical.faults,
            "vector": rig.vector.faults,
            "source": rig.tree.faults,
            "directory": rig.directory.faults,
            "model": rig.model_faults,
        }
