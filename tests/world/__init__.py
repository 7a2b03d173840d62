"""A whole Lockstep on the fakes, for tests: a source to change, steps to take one by one or all, and readers."""

from tests.world.people import ANN, BLUE, BOB, CID, PUBLIC, RED, group, user
from tests.world.threads import Pause, Worker, until
from tests.world.world import World

__all__ = [
    "ANN",
    "BLUE",
    "BOB",
    "CID",
    "PUBLIC",
    "RED",
    "Pause",
    "Worker",
    "World",
    "group",
    "until",
    "user",
]
