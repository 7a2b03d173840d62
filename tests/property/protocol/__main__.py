"""`python -m tests.property.protocol SEED [STEPS [MUTATION]]`: drive one seed, tell what happened, shrink what broke."""

import logging
import sys

from tests.property.protocol.driver import Done, drive, told, visit
from tests.property.protocol.mutations import MUTATIONS, applied
from tests.property.protocol.occurrences import expected
from tests.property.protocol.profiles import PROFILES
from tests.property.protocol.rig import opened
from tests.property.protocol.violation import Violation


def main(seed: int, steps: int, mutation: str | None) -> int:
    """Exit code 1 when a promise is broken."""
    logging.disable(logging.CRITICAL)
    done = Done()
    profiles = [MUTATIONS[mutation].profile] if mutation else PROFILES
    with opened() as database, applied(mutation):
        try:
            drive(database, seed, steps=steps, profiles=profiles, done=done)
            if mutation is None:
                visit(database, done)
        except Violation as violation:
            print(told(database, violation))  # noqa: T201
            return 1
    print(done.occurrences.table(expected()))  # noqa: T201
    print(f"{done.steps} steps in {done.seconds:.0f} s; missing: {done.occurrences.missing(expected())}")  # noqa: T201
    return 0


if __name__ == "__main__":
    arguments = [*sys.argv[1:], "1", "2400"][: max(2, len(sys.argv) - 1)]
    sys.exit(main(int(arguments[0]), int(arguments[1]), arguments[2] if len(arguments) > 2 else None))
