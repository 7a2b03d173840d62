"""The steps that a run is made of, with how often each is taken."""

import random
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from ingest.adapters.memory.faults import Fault
from ingest.errors import ContentUnreadable, GenerationMismatch, Refused, SourceUnsettled
from ingest.model.event import DocumentDeleted, DocumentHint, FolderHint
from ingest.model.principal import PUBLIC
from ingest.model.record import RecordId
from ingest.model.source import Membership
from tests.property.protocol.answers import Asked
from tests.property.protocol.changes import CHANGES
from tests.property.protocol.crash import POINTS, somewhere, wish
from tests.property.protocol.rig import DAY_S, LEASE_S, SteppedHeartbeat
from tests.property.protocol.stores import BUSY, Losing
from tests.property.protocol.strands import Process, Stop
from tests.property.protocol.truth import closure
from tests.property.protocol.violation import Violation
from tests.property.protocol.world import CALLERS, World

Step = Callable[[World, random.Random], bool]
"""Does one thing; False when there was nothing to do it to."""

HELD_MOST = 4
LINE = ("accept", "folder look", "look", "index")
KINDS: dict[str, float] = {
    "accept": 5,
    "look": 14,
    "folder look": 10,
    "index": 20,
    "access": 20,
    "orphans": 5,
    "scan end": 6,
    "sync": 6,
    # these find something to do at any time
    "vacuum": 1.0,
    "scan": 0.7,
    "repair": 0.3,
    "retention": 0.2,
    "ask": 3.0,
}


def _pick(weights: Mapping[str, float], rng: random.Random) -> str:
    return rng.choices(list(weights), list(weights.values()))[0]


def _kind(world: World, rng: random.Random) -> str:
    """A kind of process, mostly one that has something to do."""
    due = world.due()
    return _pick({kind: weight * (1.0 if due.get(kind, 1) else 0.02) for kind, weight in KINDS.items()}, rng)


def run(world: World, rng: random.Random, kind: str | None = None) -> bool:
    """A process from its start to its end."""
    kind = kind or _kind(world, rng)
    found = world.work(kind, rng)
    if found is None:
        return False
    world.start(kind, found[0], **found[1])
    return True


def _stopped(world: World, rng: random.Random, *, crash: bool) -> bool:
    """Start processes until one has come to its stop."""
    for _ in range(3):
        if len(world.held) >= HELD_MOST and not crash:
            return False
        kind = _pick({kind: weight * wish(kind, world.profile) for kind, weight in world.profile.kinds.items()}, rng)
        if rng.random() < 0.7:
            _feed(world, rng, kind)
        found = world.work(kind, rng)
        if found is None:
            continue
        process = world.start(kind, found[0], somewhere(kind, rng, world.profile, crash=crash), **found[1])
        if process.dying:
            return True
        if process in world.held:
            if rng.random() < world.profile.disturbed:
                _disturb(world, rng, process)
            return True
    return False


_BEFORE = {
    "index": "edit",
    "look": "edit",
    "accept": "edit",
    "access": "toggle",
    "sync": "join",
    "vacuum": "edit",
    "orphans": "delete_folder",
}


def _feed(world: World, rng: random.Random, kind: str) -> None:
    """Let what comes before a kind of process happen, so that there is something for it to do."""
    world.oracle.tick()
    if kind == "look" and rng.random() < 0.5:
        early_hint(world, rng)
    elif kind == "folder look":
        drain(world, rng)  # folders that are known can be seen to move
        CHANGES[rng.choice(["move_folder", "move_folder", "delete_folder", "allow"])](world.changes, rng)
    elif change := _BEFORE.get(kind):
        CHANGES[change](world.changes, rng)
    if kind == "repair":
        lose_record(world, rng)
    if kind == "vacuum":
        # what this closes can be condemned once the epoch after it has been sampled and the grace period is over
        for earlier in (*LINE, "vacuum"):
            run(world, rng, earlier)
        world.rig.time.pass_(LEASE_S + 1)
    elif kind in {"access", "orphans"}:
        _send(world, rng)
        run(world, rng, "folder look")
    elif kind == "folder look":
        _send(world, rng)
    elif kind in LINE:
        for earlier in LINE[: LINE.index(kind)]:
            run(world, rng, earlier)


def _send(world: World, rng: random.Random) -> None:
    """All hints are accepted."""
    hints, world.changes.hints = world.changes.hints, []
    if hints:
        world.start("accept", world.accepting(hints, [f"e{rng.getrandbits(60)}" for _ in hints]))


def drain(world: World, rng: random.Random) -> bool:
    """What waits goes one step on, everywhere."""
    for kind in (*LINE, "access"):
        run(world, rng, kind)
    return True


def hold(world: World, rng: random.Random) -> bool:
    """A process that is held on its way."""
    return _stopped(world, rng, crash=False)


def crash(world: World, rng: random.Random) -> bool:
    """A process that dies on its way."""
    return _stopped(world, rng, crash=True)


def go_on(world: World, rng: random.Random) -> bool:
    """A held process goes on: to its end, to another point, or to its death there."""
    if not world.held:
        return False
    process = rng.choice(world.held)
    stops = process.kind in POINTS and rng.random() < 0.5
    world.go_on(process, somewhere(process.kind, rng, world.profile, crash=rng.random() < 0.2) if stops else None)
    return True


def disturb(world: World, rng: random.Random) -> bool:
    """Something changes just where a held process is at work, is acknowledged, and the process goes on."""
    if not world.held:
        return False
    return _disturb(world, rng, rng.choice(world.held))


def _disturb(world: World, rng: random.Random, process: Process) -> bool:
    """A change at the place, the acknowledgement, perhaps somebody else's work, and then the late one goes on."""
    world.oracle.tick()
    here = _change_at(world, rng, process)
    if here is None:
        return False
    _send(world, rng)
    if rng.random() < (0.6 if process.kind in {"access", "index"} else 0.2):
        world.rig.time.pass_(LEASE_S + 1)
    if rng.random() < 0.7:
        drain(world, rng)
    if process in world.held and rng.random() < 0.8:
        world.go_on(process)
    if rng.random() < world.profile.shared:
        share(world, rng, here)
    return True


def _change_at(world: World, rng: random.Random, process: Process) -> str | None:
    """Change what a process is working on; returns the key of a document there, '' for none, None if it cannot be."""
    if process.kind == "ask" and rng.random() < 0.15:
        _outlive(world, rng)
    elif process.kind == "ask" and rng.random() < 0.8:
        _change_access(world, rng, process.facts["asked"].name)
    elif process.kind == "access" and rng.random() < 0.8:
        CHANGES[rng.choice(["toggle", "undo", "undo"])](world.changes, rng)
        for _ in range(3):
            CHANGES["edit"](world.changes, rng)
    elif process.kind == "index" and rng.random() < 0.25:
        for key in world.changes.documents:
            world.changes.edit(rng, key)
        world.changes.hints.clear()  # nobody was told, and looks come by for another reason
        CHANGES["recategorise"](world.changes, rng)
    elif process.kind == "index" and rng.random() < 0.7:
        CHANGES["toggle"](world.changes, rng)
    else:
        keys = list(process.facts.get("reads", {})) or world.changes.documents
        key = rng.choice(keys) if keys else ""
        if not keys or not world.changes.at(key, rng):
            return None
        return key if key in world.changes.documents else ""
    return ""


def share(world: World, rng: random.Random, near: str = "") -> bool:
    """Somebody is allowed to read what a folder holds, the fields follow, and asks."""
    name = rng.choice(list(CALLERS))
    world.oracle.tick()
    if not world.changes.open_to(rng, world.oracle.closures[name] - {PUBLIC}, near):
        return False
    hints = [hint for hint in world.changes.hints if isinstance(hint, FolderHint)]
    world.changes.hints = [hint for hint in world.changes.hints if not isinstance(hint, FolderHint)]
    world.start("accept", world.accepting(hints, [f"e{rng.getrandbits(60)}" for _ in hints]))
    for kind in ("folder look", "access"):
        run(world, rng, kind)
    asked = Asked(name, None)
    world.start("ask", world.asking(asked), asked=asked)
    return True


def _outlive(world: World, rng: random.Random) -> None:
    """The grace period ends before a reader does, and what it found is deleted."""
    CHANGES["edit"](world.changes, rng)
    drain(world, rng)
    for _ in range(2):
        run(world, rng, "vacuum")
        world.rig.time.pass_(LEASE_S + 1)


def _change_access(world: World, rng: random.Random, name: str) -> None:
    """The access of one caller, as far as it comes from groups, or from a policy that names one of its groups."""
    telling = _telling_edges(world, name)
    if telling and rng.random() < 0.8:
        edge = rng.choice(telling)
        world.rig.directory.remove(edge.group, edge.member)
    else:
        world.changes.join(rng)
    run(world, rng, "sync")
    if rng.random() < 0.4:
        world.changes.open_to(rng, world.oracle.closures[name])


def _telling_edges(world: World, name: str) -> list[Membership]:
    """Memberships without which a caller could not read something that it can read now."""
    catalog, now = world.oracle.catalog, world.oracle.closures[name]
    return [
        edge
        for edge in sorted(catalog.edges, key=lambda edge: (edge.member, edge.group))
        if edge.member in now
        and any(
            catalog.admits(document, now)
            and not catalog.admits(document, closure(CALLERS[name], catalog.edges - {edge}))
            for document in catalog.documents
        )
    ]


def kill(world: World, rng: random.Random) -> bool:
    """A held process dies."""
    if not world.held:
        return False
    world.kill(rng.choice(world.held))
    return True


def ask(world: World, rng: random.Random) -> bool:
    """A reader, without a pause."""
    return run(world, rng, "ask")


def short_while(world: World, rng: random.Random) -> bool:
    """Some time passes."""
    world.rig.time.pass_(rng.choice([0.06, 0.6, 1.1, 6.0]))
    return True


def long_while(world: World, rng: random.Random) -> bool:
    """Leases end, and so do grace periods. Living workers may or may not have renewed theirs."""
    world.rig.time.pass_(LEASE_S / 2)
    if rng.random() < 0.2 and world.rig.floor.writer is None:
        for beat in list(SteppedHeartbeat.alive):
            world.start("beat", beat.beat)
    world.rig.time.pass_(LEASE_S / 2 + 1)
    return True


def day(world: World, rng: random.Random) -> bool:
    """A day passes: no worker and no message is as late as that."""
    world.finish_all()
    world.rig.sent.again.clear()
    days = rng.choice([1.1, 40])
    world.rig.time.pass_(DAY_S * days)
    if days > 30:
        world.accepted.clear()  # retention may have forgotten their ids
    return True


_FAULTS: dict[str, tuple[str, ...]] = {
    "lexical": ("add", "patch_access", "delete", "search", "refresh", "ids"),
    "vector": ("add", "patch_access", "delete", "search", "refresh", "fetch"),
    "source": ("document", "folder", "listing", "identity"),
    "directory": ("memberships",),
    "model": ("embed",),
}


def fault(world: World, rng: random.Random) -> bool:
    """The next call of one fake fails: before, in the middle, or after it was applied."""
    where = rng.choice(list(_FAULTS))
    call = rng.choice(_FAULTS[where])
    fault_ = Fault(applied=rng.choice([0.0, 0.5, 1.0]))
    if where == "source":
        errors = [SourceUnsettled("it changed while it was read"), ContentUnreadable("its bytes make no text")]
        call = rng.choice([call, "document", "folder"])
        fault_ = rng.choice([fault_, Fault(error=errors[0]), Fault(error=errors[call == "document"])])
    elif where == "model":
        fault_ = BUSY
    world.faults[where].fail_next(call, fault_)
    return True


def deliver_again(world: World, rng: random.Random) -> bool:
    """A network delivers an old `add` once more."""
    return world.rig.sent.deliver(rng)


def lose_hints(world: World, rng: random.Random) -> bool:
    """Hints are lost."""
    if not world.changes.hints:
        return False
    world.changes.hints = [hint for hint in world.changes.hints if rng.random() < 0.5]
    return True


def early_hint(world: World, rng: random.Random) -> bool:
    """A hint about something that has not changed, or is not there."""
    world.changes.hints.append(DocumentHint(rng.choice([*world.changes.documents, "a/0.md", "b/x/1.md"])))
    return True


def replay(world: World, rng: random.Random) -> bool:
    """Events that were accepted come again under their ids: nothing changes (P7)."""
    if not world.accepted or world.rig.floor.writer is not None:
        return False
    chosen = rng.sample(world.accepted, min(3, len(world.accepted)))
    before = world.oracle.catalog
    process = world.start(
        "replay",
        lambda: world.rig.acceptor.accept(world.rig.source, [event for event, _ in chosen], [i for _, i in chosen]),
    )
    if process.main.result or world.oracle.catalog != before:
        raise Violation("P7", f"events that were accepted before changed something: {[str(e) for e, _ in chosen]}")
    return True


def other_body(world: World, rng: random.Random) -> bool:
    """A known event id with another body is refused."""
    if not world.accepted or world.rig.floor.writer is not None:
        return False
    event_id = rng.choice(world.accepted)[1]
    other = DocumentHint("b/never.md")
    process = world.start("conflict", lambda: world.rig.acceptor.accept(world.rig.source, [other], [event_id]))
    if not isinstance(process.error, Refused):
        raise Violation("P7", "an event id was taken for two bodies")
    world.occurrences.count("refusal", "an event id with another body")
    return True


def explicit_delete(world: World, rng: random.Random) -> bool:
    """A delete that is believed; the file goes before, or stays and is found again."""
    if not world.changes.documents:
        return False
    key = rng.choice(world.changes.documents)
    if rng.random() < 0.7:
        world.rig.tree.remove(key)
    world.changes.hints.append(DocumentHint(key))
    stop = Stop("accept.after_commit", crash=True) if rng.random() < 0.2 else None
    world.start("accept", world.accepting([DocumentDeleted(key)], [f"d{rng.getrandbits(60)}"]), stop)
    return True


def lose_record(world: World, rng: random.Random) -> bool:
    """A store loses a record, or has one that nobody knows: as after a restore from an old backup."""
    stores: tuple[Losing, ...] = (world.rig.lexical, world.rig.vector)
    store = rng.choice(stores)
    there = sorted(store.findable())
    if not there:
        return False
    if rng.random() < 0.3:
        stray = RecordId(str(UUID(int=rng.getrandbits(128), version=4)))
        world.oracle.strays.add(store.stray(rng.choice(there), stray))
        return True
    record = rng.choice(there)
    store.lose(record)
    world.oracle.lost.add(record)
    return True


def refused_questions(world: World, rng: random.Random) -> bool:
    """Questions that cannot be answered as they are asked."""
    asked = Asked("ann", None)
    question = asked.question(CALLERS["ann"])
    small = rng.choice([1, 2, 3])
    limited: Any = world.rig.searcher(closure_limit=small)
    process = world.start("ask", lambda: limited.search(question), asked=asked, limit=small)
    groups = len(world.oracle.closures["ann"])
    if groups > small and process.error is None:
        raise Violation("P3", f"a caller in {groups} groups was answered under a limit of {small}")
    other = type(world.rig.model)(lambda _: None, world.rig.model_faults)
    other._weights = "other"
    process = world.start("other model", lambda: world.rig.searcher(model=other).search(question))
    if not isinstance(process.error, GenerationMismatch):
        raise Violation("P2", "a question was compared with vectors of another model")
    return True


def kill_again_and_again(world: World, rng: random.Random) -> bool:
    """A document whose worker dies whenever it comes to it is held in the end."""
    kind = rng.choice(["index", "look"])
    point = {"index": "claim.after_commit", "look": "look.before_read"}[kind]
    world.finish_all()
    _feed(world, rng, kind)
    found = world.work(kind, rng)
    assert found is not None
    for _ in range(8):
        if not world.start(kind, found[0], Stop(point, crash=True)).dying:
            break
        world.rig.time.pass_(LEASE_S + 1)
    return True


def _changing(name: str) -> Step:
    return lambda world, rng: (world.oracle.tick() > 0) and CHANGES[name](world.changes, rng)


STEPS: dict[str, Step] = {
    **{name: _changing(name) for name in CHANGES},
    **{
        step.__name__: step
        for step in (
            run,
            hold,
            crash,
            drain,
            go_on,
            disturb,
            share,
            kill,
            ask,
            short_while,
            long_while,
            day,
            fault,
            deliver_again,
            lose_hints,
            early_hint,
            replay,
            other_body,
            explicit_delete,
            lose_record,
            refused_questions,
            kill_again_and_again,
        )
    },
}
