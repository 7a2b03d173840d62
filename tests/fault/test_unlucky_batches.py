"""Batches that lose something on their way: their worker, a cached vector, a document (F18, F24)."""

import pytest

from ingest.catalog import retention
from ingest.catalog.tables import records
from ingest.indexing.pipeline import PipelineSettings
from ingest.model.record import Record
from tests.world import PUBLIC, World
from tests.world.threads import Died, once_at
from tests.world.wiring import SMALL_BATCHES

MONTHS_S = 90 * 86_400.0
MOST_DEATHS = 15


@pytest.fixture
def world(sqlite_world: World) -> World:
    sqlite_world.pipeline_settings = PipelineSettings(SMALL_BATCHES, heartbeat_s=3_600.0)
    sqlite_world.state("", PUBLIC)
    sqlite_world.drain()
    return sqlite_world


def deadly(record: Record) -> str | None:
    """A store that takes its caller with it at one record."""
    if "deadly" in record.text:
        raise Died
    return None


def test_a_document_that_kills_while_it_is_written_is_held_although_its_access_is_patched_between(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F18: an attempt that died leaves the access fields due; bringing them about must not forget the death."""
    for number in range(3):
        world.write(f"{number}.md", f"harmless {number}")
    world.write("killer.md", "deadly")
    world.look()
    monkeypatch.setattr(world.vector, "_refuses", deadly)
    deaths = 0
    for _ in range(MOST_DEATHS):
        world.patch_access()
        try:
            world.index()
        except Died:
            deaths += 1
            world.expire_leases()
    assert world.indexing_row("killer.md").held is not None
    assert deaths == 5, "among four, among two, and three times alone"
    assert len(world.ask("harmless").hits) == 3


def test_a_vector_that_is_forgotten_while_it_is_about_to_be_used_is_computed_again(world: World) -> None:
    """F24: the cache had it when the batch asked what is missing, and not when the batch took it."""
    world.write("1.md", "apples")
    world.drain()
    world.write("1.md", "pears")
    world.drain()
    with world.database.write() as tx:
        tx.execute(records.delete().where(records.c.to_epoch.is_not(None)))
    world.age(MONTHS_S)
    world.write("1.md", "apples\n\nplums")
    world.look()
    with once_at("embed.after_commit", world.retention.run):
        assert world.index().failed == 1
    world.age(10)
    world.drain()
    assert world.visible_text("1.md") == "apples\n\nplums"


def test_a_document_that_is_forgotten_after_its_claim_fails_no_other(world: World) -> None:
    world.write("1.md", "apples")
    world.write("2.md", "pears")
    world.look()
    forgotten = world.known_id("1.md")

    def forget() -> None:
        with world.database.write() as tx:
            retention.forget_documents(tx, [forgotten])

    with once_at("claim.after_commit", forget):
        world.index()
    assert world.visible_text("2.md") == "pears"
