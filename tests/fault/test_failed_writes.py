"""F23, F24, F25: steps that fail half way leave the old version whole, and are made up for."""

from collections.abc import Sequence

import numpy as np
import pytest

from ingest.adapters.memory.embedding_model import MemoryEmbeddingModel
from ingest.adapters.memory.faults import Fault
from ingest.errors import ModelBusy
from ingest.model.event import DocumentHint
from ingest.ports import FloatMatrix
from tests.world import PUBLIC, World
from tests.world.threads import Died, die, once_at
from tests.world.wiring import UNSTORABLE, refuses_input

LATER_S = 400.0
POINTS = (
    "claim.after_commit",
    "plan.done",
    "embed.after_commit",
    "stage.after_note",
    "stage.after_write",
    "publish.before_lock",
    "publish.after_lock",
    "publish.before_commit",
    "publish.after_commit",
)


@pytest.fixture
def world(sqlite_world: World) -> World:
    """One document that will change and one that will not, indexed."""
    sqlite_world.state("", PUBLIC)
    sqlite_world.write("1.md", "old apples")
    sqlite_world.write("other.md", "pears")
    sqlite_world.drain()
    return sqlite_world


def update(world: World, text: str = "new apples") -> None:
    world.write("1.md", text)
    world.look()


def old_is_whole(world: World) -> None:
    assert world.visible_text("1.md") == "old apples"
    assert world.visible_text("other.md") == "pears"
    assert world.indexing_row("1.md").published_version < world.indexing_row("1.md").wanted_version


def new_is_whole(world: World, text: str = "new apples") -> None:
    world.age(LATER_S)
    world.drain()
    assert world.visible_text("1.md") == text
    assert world.visible_text("other.md") == "pears"
    assert world.audit().clean


def test_a_model_that_is_busy_leaves_the_old_version(world: World) -> None:
    """F23: the embedder raises on an update."""

    def busy(text: str) -> str | None:
        if text == "new apples":
            raise ModelBusy("memory", 1.0)
        return None

    world.refuse = busy
    update(world)
    assert world.index().failed == 1
    old_is_whole(world)
    world.refuse = refuses_input
    new_is_whole(world)


def test_a_model_that_answers_too_few_vectors_leaves_the_old_version(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F23: fewer vectors than texts; which row belongs to which text cannot be said."""
    embed = MemoryEmbeddingModel.embed_passages

    def too_few(self: MemoryEmbeddingModel, inputs: Sequence[str]) -> FloatMatrix:
        return np.asarray(embed(self, inputs)[:-1])

    monkeypatch.setattr(MemoryEmbeddingModel, "embed_passages", too_few)
    update(world)
    assert world.index().held == 1
    old_is_whole(world)
    assert "shape" in world.indexing_row("1.md").held
    monkeypatch.undo()
    world.write("1.md", "newer apples")  # a new version ends the hold
    new_is_whole(world, "newer apples")


@pytest.mark.parametrize("applied", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("store", ["lexical", "vector"])
def test_a_store_that_is_down_leaves_the_old_version(world: World, store: str, applied: float) -> None:
    """F23, F25: one store fails after the other took the records; nothing, half or all of it was applied."""
    getattr(world, store).faults.fail_next("add", Fault(applied=applied))
    update(world, "new apples\n\nnew plums")
    assert world.index().failed == 1
    old_is_whole(world)
    new_is_whole(world, "new apples\n\nnew plums")
    assert len(world.open_records()) == 3


def test_a_store_that_is_busy_without_end_is_asked_less_and_less_often(world: World) -> None:
    """F25: 429 without end."""
    world.lexical.faults.choose = lambda call: Fault() if call == "add" else None
    update(world)
    for _ in range(4):
        world.index()
        world.age(LATER_S)
    assert world.lexical.faults.committed["add"] == 4
    assert world.indexing_row("1.md").retries == 4
    old_is_whole(world)
    world.lexical.faults.choose = lambda _: None
    new_is_whole(world)


def test_a_document_of_no_chunks_comes_and_goes(world: World) -> None:
    """F23: an update of a document that has no chunk, and to one that has none."""
    for text in ("", "plums", ""):
        world.write("empty.md", text)
        world.drain()
        assert world.visible_text("empty.md") == text
    assert world.visible_text("other.md") == "pears"


def test_deleting_what_is_unknown_or_blank_deletes_nothing(world: World) -> None:
    """F23: a document that nobody knows, and names of blanks."""
    for key in ("never.md", "   ", "never/   "):
        world.delete(key)
        world.accept(DocumentHint(key))
    world.drain()
    world.age(100)
    world.vacuum()
    assert world.visible_text("1.md") == "old apples"
    assert world.visible_text("other.md") == "pears"
    assert world.live_documents() == 2


def test_bytes_sent_again_after_a_failure_are_not_skipped(world: World) -> None:
    """F24: the vector store fails once, and the same bytes come again."""
    world.vector.faults.fail_next("add")
    update(world)
    world.index()
    world.hint("1.md")
    new_is_whole(world)


def test_two_paths_with_equal_bytes_are_both_found(world: World) -> None:
    """F24: what is stored for one is not taken for the other's; the model is asked once."""
    asked = world.model.inputs
    world.write("a/copy.md", "equal bytes")
    world.write("b/copy.md", "equal bytes")
    world.drain()
    assert {hit.document for hit in world.ask("equal bytes").hits} >= {"a/copy.md", "b/copy.md"}
    assert world.model.inputs == asked + 1 + 1  # one passage, one question


@pytest.mark.parametrize("point", POINTS)
def test_a_worker_that_dies_anywhere_is_made_up_for(world: World, point: str) -> None:
    """F24: killed between any two commits."""
    update(world)
    with once_at(point, die):
        worker = world.start_worker(world.index)
        worker.wait()
        assert isinstance(worker.error, Died)
    assert world.visible_text("1.md") in {"old apples", "new apples"}
    world.expire_leases()
    new_is_whole(world)


def test_what_was_deleted_by_hand_is_reported_and_mended(world: World) -> None:
    """F24: points deleted behind our back, then the same bytes saved again."""
    asked = world.model.inputs
    world.vector.delete([row.id for row in world.open_records()])
    world.hint("1.md")
    world.drain()
    found = world.audit()
    assert (found.clean, len(found.stores["vector"].missing)) == (False, 2)
    world.repair()
    assert world.audit().clean
    assert world.model.inputs == asked


def test_a_record_refused_for_good_holds_its_document_alone(world: World) -> None:
    """F25: of many records one is refused for good, and one call times out after half of it was applied."""
    parts = [f"part {n}" for n in range(20)]
    world.write("bad.md", "\n\n".join([*parts, f"part {UNSTORABLE}"]))
    for number in range(10):
        world.write(f"good{number}.md", f"good text {number}")
    world.lexical.faults.fail_next("add", Fault(applied=0.5), Fault(applied=1.0))
    for _ in range(3):
        world.drain()
        world.age(LATER_S)
    world.drain()
    assert UNSTORABLE in world.indexing_row("bad.md").held
    assert world.visible_text("bad.md") == ""
    assert len([hit for hit in world.ask("good text", limit=50).hits if "good text" in hit.text]) == 10
    assert len(world.open_records()) == 2 + 10
    world.age(LATER_S)
    world.vacuum()
    assert world.audit().clean
