"""F27: vectors that no store should get hold one document, with the chunk and the reason."""

from collections.abc import Sequence

import numpy as np
import pytest

from ingest.adapters.memory.embedding_model import MemoryEmbeddingModel
from ingest.ports import FloatMatrix
from tests.world import PUBLIC, World

NUMBER = 20
BAD = "the bad one"


def spoilt(matrix: FloatMatrix, row: int, how: str) -> FloatMatrix:
    """An answer with something wrong in one row, or with the whole shape."""
    changed = matrix.copy()
    match how:
        case "not finite":
            changed[row, 3] = np.nan
        case "zeros":
            changed[row] = 0.0
        case "one number short":
            return np.asarray(changed[:, :-1])
        case "one vector short":
            return np.asarray(np.delete(changed, row, axis=0))
    return changed


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("not finite", "not finite"),
        ("zeros", "zeros"),
        ("one number short", "shape (1, 31)"),
        ("one vector short", "shape (0, 32)"),
    ],
)
def test_one_bad_vector_in_a_batch_holds_its_document_alone(
    sqlite_world: World, monkeypatch: pytest.MonkeyPatch, how: str, reason: str
) -> None:
    world = sqlite_world
    embed = MemoryEmbeddingModel.embed_passages

    def embedding(self: MemoryEmbeddingModel, inputs: Sequence[str]) -> FloatMatrix:
        bad = [row for row, text in enumerate(inputs) if BAD in text]
        matrix = embed(self, inputs)
        return spoilt(matrix, bad[0], how) if bad else matrix

    monkeypatch.setattr(MemoryEmbeddingModel, "embed_passages", embedding)
    world.state("", PUBLIC)
    for number in range(NUMBER):
        world.write(f"{number}.md", f"text {number}")
    world.write("bad.md", f"a good start\n\n{BAD}")
    assert world.drain().held == 1
    held = world.indexing_row("bad.md").held
    assert "chunk 2" in held
    assert reason in held
    assert len(world.ask("text", limit=NUMBER).hits) == NUMBER
    assert world.visible_text("bad.md") == ""


def test_what_counts_as_indexed_is_found_at_that_moment(sqlite_world: World) -> None:
    """F27: a search right after the publish finds the text by both stores."""
    world = sqlite_world
    world.state("", PUBLIC)
    world.write("1.md", "apples")
    world.look()
    with world.pause_at("publish.after_commit") as paused:
        worker = world.start_worker(world.index)
        paused.wait()
        assert world.indexing_row("1.md").published_version == 1
        hits = world.ask("apples").hits
        assert [(hit.text, {leg.name for leg in hit.legs}) for hit in hits] == [("apples", {"lexical", "vector"})]
        paused.release()
        worker.result()
