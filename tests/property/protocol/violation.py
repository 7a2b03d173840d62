"""What the harness raises when a promise of DESIGN §1 is broken."""

from tests.property.protocol.profiles import ORDINARY, Profile


class Violation(AssertionError):
    """A promise was broken. `promise` is its name there: P1, P3 …"""

    run = ""
    """Seed and number of the run."""
    plan: tuple[tuple[str, int], ...] = ()
    """The steps up to it."""
    profile: Profile = ORDINARY
    """What the run dwelt on."""
    taken = 0
    """How many steps of its run were taken."""
    found_after = 0
    """How many steps of all runs of the seed were taken."""

    def __init__(self, promise: str, what: str) -> None:
        super().__init__(f"{promise}: {what}")
        self.promise = promise
