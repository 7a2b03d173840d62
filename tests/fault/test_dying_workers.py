"""DESIGN §10: one document kills its worker, and the others are not held for it (§4, leases)."""

from unittest.mock import patch

import pytest

from ingest.catalog import indexing
from ingest.indexing.pipeline import PipelineSettings
from tests.fault import guards_accept as guards
from tests.fault.rig import guarded_by
from tests.world import PUBLIC, World
from tests.world.threads import Died
from tests.world.wiring import SMALL_BATCHES

INNOCENT = ("1.md", "2.md", "3.md")
KILLER = "4.md"
MOST_DEATHS = 12


def fatal(text: str) -> str | None:
    """A model that takes the process with it at one input."""
    if "fatal" in text:
        raise Died
    return None


def index_until_nobody_dies(world: World) -> int:
    """Index with workers that die at the killer, each after the lease of the one before; how many died."""
    with patch.object(world.model, "_refuse", fatal):
        for deaths in range(MOST_DEATHS):
            try:
                world.index()
            except Died:
                world.expire_leases()
            else:
                return deaths
    pytest.fail("workers die for ever")


@guarded_by(guards.counting_only_attempts_alone, harm="held for somebody else's deaths")
def test_one_document_kills_its_worker(world: World) -> None:
    world.pipeline_settings = PipelineSettings(SMALL_BATCHES, attempts_alone=2)
    world.state("", PUBLIC)
    for key in (*INNOCENT, KILLER):
        world.write(key, "before")
    world.drain()
    for key in INNOCENT:
        world.write(key, f"after in {key}")
    world.write(KILLER, "fatal")
    world.look()
    deaths = index_until_nobody_dies(world)
    with world.database.read() as tx:
        held = dict(indexing.held(tx, world.generation_id))
    assert held.keys() == {world.known_id(KILLER)}, "held for somebody else's deaths"
    assert "2 times" in held[world.known_id(KILLER)]
    assert deaths == 4, "among four, among two, and twice alone"
    assert [world.visible_text(key) for key in INNOCENT] == [f"after in {key}" for key in INNOCENT]
    assert world.visible_text(KILLER) == "before", "what is held stays searchable as it was"
    world.write(KILLER, "harmless again")
    world.drain()
    assert world.visible_text(KILLER) == "harmless again", "a new version ends the hold"
