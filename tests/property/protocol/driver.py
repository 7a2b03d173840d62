"""Runs: a seed makes the steps, the steps make a run; a run that breaks a promise is made shorter and told."""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.property.protocol.occurrences import Occurrences
from tests.property.protocol.profiles import PROFILES, Profile
from tests.property.protocol.rig import SteppedDatabase
from tests.property.protocol.settle import prepare, settle
from tests.property.protocol.steps import STEPS
from tests.property.protocol.violation import Violation
from tests.property.protocol.world import World

Plan = tuple[tuple[str, int], ...]
"""The steps of a run: names, each with a seed of its own, so that leaving steps out keeps the others what they are."""

STEPS_A_RUN = 80


@dataclass
class Done:
    """What was driven."""

    steps: int = 0
    runs: int = 0
    seconds: float = 0.0
    occurrences: Occurrences = field(default_factory=Occurrences)


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
    done: Done | None = None,
) -> Done:
    """Runs of one seed, until so many steps are taken. Raises a Violation that names seed, run and the steps left."""
    done = done or Done()
    began = time.monotonic()
    taken = 0
    while taken < steps:
        name = f"{seed}/{done.runs}"
        profile = profiles[done.runs % len(profiles)]
        made = plan(name, length, profile.weights)
        try:
            play(database, name, made, profile, done.occurrences)
        except Violation as violation:
            violation.add_note(
                f"seed {seed}, run {done.runs}, step {violation.taken} ({taken + violation.taken} in all)"
            )
            violation.run, violation.plan, violation.profile = name, made[: violation.taken], profile
            violation.found_after = taken + violation.taken
            raise
        finally:
            done.seconds += time.monotonic() - began
            began = time.monotonic()
        taken += length
        done.steps += length
        done.runs += 1
    return done


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
