"""The end of a run: faults stop, everything is drained, and the three parts agree with the source (P5, P7, P8, P9)."""

import random
from collections import Counter

from ingest.catalog import indexing, sources
from ingest.model.access import AccessRules, Policy, PolicyKind
from ingest.model.event import DocumentHint
from ingest.model.principal import PUBLIC
from ingest.model.source import Membership
from tests.property.protocol.answers import Asked
from tests.property.protocol.rig import DAY_S, GRACE_S, LEASE_S
from tests.property.protocol.truth import Document, closure
from tests.property.protocol.truth import documents as documents_of
from tests.property.protocol.violation import Violation
from tests.property.protocol.world import CALLERS, World

_ROUNDS = 100


def prepare(world: World, rng: random.Random) -> None:
    """Mostly a run begins with some documents that everybody may read, indexed; sometimes with nothing."""
    if rng.random() < 0.1:
        return
    for _ in range(rng.randint(1, 4)):
        world.changes.create(rng)
    world.rig.tree.set_access("", AccessRules(Policy(PolicyKind.STATED, frozenset({PUBLIC}))))
    world.changes.hints.clear()
    _scan(world, rng)


def settle(world: World, rng: random.Random) -> None:
    """Bring the world to rest and hold it against the truth."""
    for faults in world.faults.values():
        faults.choose = lambda _: None
        faults._queued.clear()
    world.finish_all()
    _send(world)
    drain(world, rng)
    _release_held(world)
    world.changes.heal()
    _send(world)
    drain(world, rng)
    _nothing_lost(world)
    _scan(world, rng)
    while world.rig.sent.again:
        world.rig.sent.again.pop()()  # whatever a network kept comes now, late
    _audit(world, rng)
    _answers(world)
    _vacuum(world, rng)
    _idempotent(world, rng)


def _run(world: World, kind: str, rng: random.Random) -> object:
    found = world.work(kind, rng)
    assert found is not None
    process = world.start(kind, found[0])
    if process.error is not None:
        raise process.error
    return process.main.result


def _send(world: World) -> None:
    hints, world.changes.hints = world.changes.hints, []
    if hints:
        ids = [f"end{world.rng.getrandbits(60)}" for _ in hints]
        world.start("accept", world.accepting(hints, ids))


def drain(world: World, rng: random.Random) -> None:
    """Work until nothing is due, letting time pass for what waits."""
    for number in range(_ROUNDS):
        for kind in ("folder look", "look", "orphans", "index", "access"):
            _run(world, kind, rng)
        wait = _next_due(world)
        if wait is None:
            return
        # documents below a folder whose worker died ask again in short intervals until its lease has ended
        world.rig.time.pass_(max(wait, 0.0) + (0.001 if number < _ROUNDS / 4 else 5.0))
    raise Violation("P9", "the world does not come to rest: something stays due for ever")


def _next_due(world: World) -> float | None:
    ready = world.oracle.db.execute(
        "SELECT min(at) FROM (SELECT look_ready_at AS at FROM documents WHERE deleted_at IS NULL "
        "UNION ALL SELECT look_ready_at FROM folders WHERE deleted_at IS NULL "
        "UNION ALL SELECT ready_at FROM indexing WHERE access_due OR (published_version < wanted_version AND held IS NULL) "
        "UNION ALL SELECT 0 FROM access_work)"
    ).fetchone()[0]
    return None if ready is None else ready - world.rig.time.now


def _release_held(world: World) -> None:
    """What `lockstep retry` does: holds are taken off, of looks and of indexing."""
    held = world.oracle.db.execute(
        "SELECT id FROM documents WHERE look_held NOT NULL AND deleted_at IS NULL"
    ).fetchall()
    if world.oracle.db.execute("SELECT count(*) FROM indexing WHERE held NOT NULL").fetchone()[0]:
        world.occurrences.count("refusal", "held while indexing until a retry")
    if held:
        world.occurrences.count("refusal", "held at a look until a retry", len(held))
        hints = [DocumentHint(world.oracle.catalog.key(i)) for (i,) in held]
        world.start("accept", world.accepting(hints, [f"retry{world.rng.getrandbits(60)}" for _ in hints]))

    def retry() -> None:
        with world.rig.database.write() as tx:
            indexing.retry(tx)

    world.start("retry", retry)


def _nothing_lost(world: World) -> None:
    """Every accepted event was applied, and what it told of is what the catalog knows (P5)."""
    waiting = world.oracle.db.execute("SELECT body FROM inbox WHERE done_at IS NULL").fetchall()
    if waiting:
        raise Violation("P5", f"events wait for ever: {waiting}")
    catalog = world.oracle.catalog
    here = {catalog.key(i): i for i, row in catalog.documents.items() if not row.dead and row.version > 0}
    for document in documents_of(world.rig.tree):
        if world.told.get(document.key) != document.seen:
            continue  # it changed since, and the hint of that was lost
        i = here.get(document.key)
        texts = [chunk.text for chunk in world.oracle.texts[i][catalog.documents[i].version]] if i else None
        if texts != [chunk.text for chunk in document.chunks]:
            raise Violation("P5", f"the accepted change of {document.key} was lost: {texts}")


def _scan(world: World, rng: random.Random) -> None:
    """A scan finds what no event told; a suspicious drop is approved."""
    for _ in range(6):
        world.rig.time.pass_(3.0)
        scanned = _run(world, "scan", rng)
        drain(world, rng)
        if getattr(scanned, "held", 0):

            def approve() -> None:
                with world.rig.database.write() as tx:
                    sources.approve_drop(tx, world.rig.source)

            world.start("approve", approve)
        elif _run(world, "scan end", rng):
            break
    _run(world, "sync", rng)
    drain(world, rng)


def _audit(world: World, rng: random.Random) -> None:
    """Catalog and stores agree, save for what the harness itself took away or wrote late; repair mends that (P9)."""
    audited = world.rig.audit.run()
    for name, found in audited.stores.items():
        if set(found.unknown) - world.oracle.strays or set(found.missing) - world.oracle.lost:
            raise Violation("P9", f"{name}: unknown {found.unknown}, missing {found.missing}")
        # a record that was lost, then brought back by a late message, has the fields of then
        if wrong := set(found.wrong_access) - world.oracle.late_patched - world.oracle.documents_of(world.oracle.lost):
            raise Violation("P9", f"{name}: access fields of documents {wrong} are not the access in force, for ever")
    if audited.behind or audited.access_due:
        raise Violation("P9", f"{audited.behind} documents stay behind, {audited.access_due} with access due")
    if not audited.clean:
        world.occurrences.count("step", "a repair that mended something")
        _run(world, "repair", rng)
        drain(world, rng)
        if not world.rig.audit.run().clean:
            raise Violation("P9", "a repair does not mend what the audit found")
    world.oracle.late_patched.clear()


def _answers(world: World) -> None:
    """For every reader the answer is what the source says, no more and no less (P1, P3, P9)."""
    edges: frozenset[Membership] = world.rig.directory._edges
    truth: list[Document] = list(documents_of(world.rig.tree))
    for name, caller in CALLERS.items():
        asked = Asked(name, None)
        process = world.start("ask", world.asking(asked), asked=asked)
        answer = process.main.result
        got = Counter((hit.document, hit.text) for hit in answer.hits)
        everyone = closure(caller, edges)
        due = Counter((d.key, c.text) for d in truth if d.admits(everyone) for c in d.chunks)
        if got != due or answer.pending:
            extra, missing = got - due, due - got
            raise Violation(
                "P9", f"at rest {name} gets {extra} too much, {missing} too little, {answer.pending} pending"
            )


def _vacuum(world: World, rng: random.Random) -> None:
    """After the grace period and a day the stores hold the open records and nothing else."""
    rig = world.rig
    rig.sent.again.clear()
    for seconds in (0.0, GRACE_S + 1, DAY_S + 1, LEASE_S):
        rig.time.pass_(seconds)
        _run(world, "vacuum", rng)
    open_ = {row[0] for row in world.oracle.db.execute("SELECT id FROM records WHERE to_epoch IS NULL")}
    for store in (rig.lexical, rig.vector):
        store.refresh()
        if {i.replace("-", "") for i in store.findable()} != open_:
            raise Violation("P9", "after the vacuum a store does not hold exactly the open records")
    left = world.oracle.db.execute("SELECT count(*) FROM records WHERE to_epoch NOT NULL OR from_epoch IS NULL")
    if number := left.fetchone()[0]:
        raise Violation("P9", f"{number} records are never dropped")


def _idempotent(world: World, rng: random.Random) -> None:
    """Replaying events and steps at rest changes nothing, embeds nothing, writes nothing (P7, P8)."""
    rig, oracle = world.rig, world.oracle
    before = (_rows(world), rig.lexical.writes, rig.vector.writes, rig.model.inputs)
    chosen = rng.sample(world.accepted, min(5, len(world.accepted)))
    world.start(
        "replay", lambda: rig.acceptor.accept(rig.source, [event for event, _ in chosen], [i for _, i in chosen])
    )
    for kind in ("folder look", "look", "orphans", "index", "access", "sync"):
        _run(world, kind, rng)
    after = (_rows(world), rig.lexical.writes, rig.vector.writes, rig.model.inputs)
    if before != after:
        raise Violation("P7", "replaying events and steps at rest changed something")
    assert oracle.violation is None


def _rows(world: World) -> dict[str, list[object]]:
    tables = ("folders", "documents", "contents", "indexing", "records", "memberships", "policy_entries", "generations")
    return {table: world.oracle.db.execute(f"SELECT * FROM {table}").fetchall() for table in tables}  # noqa: S608
