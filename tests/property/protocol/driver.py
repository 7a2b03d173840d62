"""Runs: a seed makes the steps, the steps make a run; a run that breaks a promise is made shorter and told."""

import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.property.protocol.crash import POINTS
from tests.property.protocol.occurrences import Occurrences, points
from tests.property.protocol.profiles import PROFILES, STOPPED, Profile
from tests.property.protocol.rig import SteppedDatabase
from tests.property.protocol.settle import prepare, settle
from tests.property.protocol.steps import STEPS
from tests.property.protocol.violation import Violation
from tests.property.protocol.world import World

Plan = tuple[tuple[str, int], ...]
"""The steps of a run: names, each with a seed of its own, so that leaving steps out keeps the others what they are."""

STEPS_A_RUN = 80
_VISIT = 20
_VISITS_MOST = 12


@dataclass
class Done:
    """What was driven."""

    steps: int = 0
    runs: int = 0
    seconds: float = 0.0
    occurrences: Occurrences = field(default_factory=Occurrences)

    def add(self, other: "Done") -> None:
        """Together with another seed."""
        self.steps += other.steps
        self.runs += other.runs
        self.seconds += other.seconds
        self.occurrences.add(other.occurrences)


def plan(seed: str, length: int, weights: dict[str, float]) -> Plan:
    """The steps that a seed makes."""
    rng = random.Random(seed)
    names = rng.choices(list(weights), list(weights.values()), k=length)
    return tuple((name, rng.getrandbits(32)) for name in names)


def play(database: SteppedDatabase, seed: str, steps: Plan, profile: Profile, occurrences: Occurrences) -> None:
    """One run. Raises the Violation it finds, with the steps up to it in `steps`."""
    world = World(database, seed, profile, occurrences)
    taken = 0
    try:
        with world.rig.stepped():
            try:
                prepare(world, random.Random(f"prepare {seed}"))
                for taken, (name, step_seed) in enumerate(steps, 1):
                    if STEPS[name](world, random.Random(step_seed)):
                        occurrences.count("step", name)
                    world.oracle.check_fields()
                    if world.oracle.violation is not None:
                        raise world.oracle.violation
                settle(world, random.Random(seed))
            finally:
                world.close()
    except Violation as violation:
        violation.taken = taken
        raise


def drive(
    database: SteppedDatabase,
    seed: int,
    *,
    steps: int,
    length: int = STEPS_A_RUN,
    profiles: Sequence[Profile] = PROFILES,
    explore: bool = True,
    done: Done | None = None,
) -> Done:
    """Runs of one seed, until so many steps are taken; `explore` dwells on points nobody came to. Raises a Violation that names seed, run and the steps left."""
    done = done or Done()
    began = time.monotonic()
    try:
        while done.steps < steps:
            name = f"{seed}/{done.runs}"
            profile = profiles[done.runs % len(profiles)]
            if explore:
                profile = profile.dwelling_on(done.occurrences.neglected())
            _play(database, name, plan(name, length, profile.weights), profile, done)
    finally:
        done.seconds += time.monotonic() - began
    return done


def visit(database: SteppedDatabase, done: Done) -> None:
    """Short runs for points at which nobody was killed yet, or nobody held; each is the same whatever came before."""
    began = time.monotonic()
    for step, kind in (("crash", "crashed at"), ("hold", "held at")):
        for point in sorted(points()):
            profile = Profile(
                steps={step: 60, "move_folder": 4, "delete_folder": 2},
                stopped=dict.fromkeys(STOPPED, 0.0)
                | {k: 1.0 for k, on_the_way in POINTS.items() if point in on_the_way},
                points={point: 1_000.0},
            )
            for number in range(_VISITS_MOST):
                if done.occurrences.counts.get(kind, Counter())[point]:
                    break
                name = f"visit {step} {point}/{number}"
                _play(database, name, plan(name, _VISIT, profile.weights), profile, done)
    done.seconds += time.monotonic() - began


def _play(database: SteppedDatabase, name: str, made: Plan, profile: Profile, done: Done) -> None:
    try:
        play(database, name, made, profile, done.occurrences)
    except Violation as violation:
        violation.run, violation.plan, violation.profile = name, made[: violation.taken], profile
        violation.found_after = done.steps + violation.taken
        violation.add_note(f"run {name}, step {violation.taken} ({violation.found_after} of its seed)")
        raise
    done.steps += len(made)
    done.runs += 1


def told(database: SteppedDatabase, violation: Violation, seconds: float = 20.0) -> str:
    """What broke, where, and the fewest steps found within so many seconds that break the same promise."""
    fewer = shrink(database, violation, seconds)
    lines = [str(violation), *getattr(violation, "__notes__", []), f"{len(fewer)} of its steps are enough:"]
    return "\n".join([*lines, *(f"  {name} {seed}" for name, seed in fewer)])


def shrink(database: SteppedDatabase, violation: Violation, seconds: float) -> Plan:
    """Fewer steps that break the same promise: parts are left out as long as it does, for so many seconds."""
    steps, until = list(violation.plan), time.monotonic() + seconds
    size = max(1, len(steps) // 2)
    while size and time.monotonic() < until:
        start = 0
        while start < len(steps) and time.monotonic() < until:
            fewer = steps[:start] + steps[start + size :]
            if _breaks(database, violation, fewer):
                steps = fewer
            else:
                start += size
        size //= 2
    return tuple(steps)


def _breaks(database: SteppedDatabase, violation: Violation, steps: Sequence[tuple[str, int]]) -> bool:
    try:
        play(database, violation.run, tuple(steps), violation.profile, Occurrences())
    except Violation as again:
        return again.promise == violation.promise
    except Exception:
        return False
    return False
