"""Many workers at once on PostgreSQL: nobody deadlocks, nothing is lost, readers get what the source says."""

import os
import random
import threading
from collections.abc import Callable
from contextlib import suppress

import pytest

from ingest.errors import Superseded
from ingest.indexing.orphans import end_orphans
from tests.fault.crowd import Changes, expected
from tests.world import ANN, BLUE, BOB, CID, PUBLIC, RED, World

RUNS_S = 6.0
SEEDS = [int(seed) for seed in os.environ.get("LOCKSTEP_TEST_CROWD_SEEDS", "1 2").split()]
"""More of them: LOCKSTEP_TEST_CROWD_SEEDS="1 2 3 4" pytest tests/fault/test_many_workers.py"""


class Crowd:
    """Steps that are taken again and again, each in threads of its own."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.changes = Changes(world)
        self.over = threading.Event()

    def change(self, rng: random.Random) -> None:
        self.changes.change(rng)
        self.over.wait(0.02)

    def look(self, _rng: random.Random) -> None:
        if not (self.world.look_at_folders() or self.world.look_at_documents()):
            end_orphans(self.world.database)
            self.over.wait(0.01)

    def index(self, _rng: random.Random) -> None:
        assert self.world.index().failed == 0
        self.over.wait(0.01)

    def patch(self, _rng: random.Random) -> None:
        self.world.patch_access()
        self.over.wait(0.01)

    def people(self, rng: random.Random) -> None:
        member, group = rng.choice([ANN, BOB, CID, RED]), rng.choice([RED, BLUE])
        (self.world.directory.add if rng.random() < 0.6 else self.world.directory.remove)(group, member)
        with suppress(Superseded):  # another one reads something newer
            self.world.sync()
        self.over.wait(0.1)

    def sweep(self, _rng: random.Random) -> None:
        self.world.vacuum()
        self.world.sweep()
        self.over.wait(0.1)

    def ask(self, rng: random.Random) -> None:
        self.world.ask("part 3", rng.choice([ANN, BOB, CID]), limit=50)
        self.over.wait(0.02)

    def again_and_again(self, step: Callable[[random.Random], None], seed: int) -> Callable[[], None]:
        def run() -> None:
            rng = random.Random(seed)
            while not self.over.is_set():
                step(rng)

        return run


@pytest.mark.parametrize("seed", SEEDS)
def test_many_workers_at_once_lose_nothing_and_hold_nobody_up(postgres_world: World, seed: int) -> None:
    world = postgres_world
    world.state("", PUBLIC)
    world.drain()
    crowd = Crowd(world)
    steps = [crowd.change, crowd.look, crowd.index, crowd.people] * 2 + [crowd.patch, crowd.sweep, crowd.ask]
    runs = [crowd.again_and_again(step, 100 * seed + number) for number, step in enumerate(steps)]
    workers = [world.start_worker(run, f"worker {number}") for number, run in enumerate(runs)]
    crowd.over.wait(RUNS_S)
    crowd.over.set()
    for worker in workers:
        worker.result()  # no deadlock, which would show as a store that does not answer, and no other error
    for _ in range(3):
        world.age(400)
        world.drain()
    world.sync()
    assert world.audit().clean
    for reader in (ANN, BOB, CID):
        got: dict[str, list[str]] = {}
        for hit in world.ask("part", reader, limit=500).hits:
            got.setdefault(hit.document, []).append(hit.text)
        assert {key: sorted(texts) for key, texts in got.items()} == expected(world, reader), reader
