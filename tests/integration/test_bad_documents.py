"""Documents that cannot be read or indexed: held with a reason, the others go on, the old version is still found."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from ingest.adapters.memory.embedding_model import MemoryEmbeddingModel
from ingest.bootstrap import bootstrap
from ingest.catalog import documents, indexing
from ingest.lockstep import Lockstep
from ingest.ports import FloatMatrix
from tests.integration.library import Library, Rules, document
from tests.integration.watched import differences, new_library, settings_of, version
from worker.runner import run_once

GOOD, OTHER = "open/topic000.md", "open/topic004.md"


Spoil = Callable[[FloatMatrix, int], FloatMatrix]


class Moody(MemoryEmbeddingModel):
    """Answers nonsense for inputs with a word in them: `spoil` gets the answer and the row of the first of them."""

    def __init__(self, word: str, spoil: Spoil) -> None:
        super().__init__()
        self._word = word
        self._spoil = spoil

    def embed_passages(self, inputs: Sequence[str]) -> FloatMatrix:
        matrix = super().embed_passages(inputs)
        rows = [row for row, text in enumerate(inputs) if self._word in text]
        return self._spoil(matrix, rows[0]) if rows else matrix


def one_short(matrix: FloatMatrix, row: int) -> FloatMatrix:
    return matrix[:, :-1]


def one_too_few(matrix: FloatMatrix, row: int) -> FloatMatrix:
    return matrix[:-1]


def no_number(matrix: FloatMatrix, row: int) -> FloatMatrix:
    matrix[row, 3] = float("nan")
    return matrix


def zeros(matrix: FloatMatrix, row: int) -> FloatMatrix:
    matrix[row] = 0.0
    return matrix


@dataclass
class Case:
    """A library of 12 documents, indexed once."""

    lockstep: Lockstep
    library: Library

    def spoil(self, key: str, data: bytes) -> None:
        """Put bytes in the place of a document; what the library holds stays what must be found."""
        (self.library.root / key).write_bytes(data)
        os.utime(self.library.root / key, (1_600_000_000, 1_600_000_000))

    def held(self) -> dict[str, str]:
        """Reasons by name."""
        with self.lockstep.database.read() as tx:
            rows = documents.of_source(tx, self.lockstep.sources[0].id)
            reasons = {row.id: row.look_held for row in rows} | dict(indexing.held(tx, self.lockstep.generation.id))
        return {row.name: reasons[row.id] for row in rows if reasons[row.id]}


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[MemoryEmbeddingModel], Case]]:
    made: list[Lockstep] = []

    def open_(model: MemoryEmbeddingModel) -> Case:
        library = new_library(tmp_path, 12)
        lockstep = bootstrap(settings_of(tmp_path), model=model)
        made.append(lockstep)
        run_once(lockstep)
        assert differences(lockstep, library) == []
        return Case(lockstep, library)

    yield open_
    for lockstep in made:
        lockstep.close()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"---\ntitle: [unclosed\n---\n# topic000 part 1 revision 7\n", "front matter"),
        (b"---\ntitle: a\ntitle: b\n---\n# topic000 part 1 revision 7\n", "front matter"),
        ("Caf\u00e9 au lait, topic000 part 1 revision 7".encode("cp1252"), "UTF-8"),
        ("topic000 part 1 revision 7 caf\u00e9".encode()[:-1], "UTF-8"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR topic000 part 1 revision 7", ""),
    ],
    ids=["broken front matter", "a key twice", "windows-1252", "utf-8 cut short", "a picture"],
)
def test_a_document_that_cannot_be_read_is_held_and_its_old_version_stays(
    opened: Callable[[MemoryEmbeddingModel], Case], data: bytes, said: str
) -> None:
    case = opened(MemoryEmbeddingModel())
    case.spoil(GOOD, data)
    case.library.write(OTHER, version(4, revision=1))
    case.spoil("open/new.md", data)  # and one that never was readable: nothing of it is found
    once = run_once(case.lockstep)
    assert once.problems == []
    assert differences(case.lockstep, case.library) == []
    held = case.held()
    assert held.keys() == {"topic000.md", "new.md"}
    for name, key in (("topic000.md", GOOD), ("new.md", "open/new.md")):
        assert key in held[name]
        assert said in held[name]
        assert "\n" not in held[name]
    # a scan reads neither of them again until it changes
    case.lockstep.scan(case.lockstep.sources[0]).run()
    assert case.held() == held
    case.library.write(GOOD, version(0, revision=2))
    case.library.write("open/new.md", version(98, revision=0))
    run_once(case.lockstep)
    assert (case.held(), differences(case.lockstep, case.library)) == ({}, [])


def test_an_access_key_in_front_matter_closes_that_document_alone(
    opened: Callable[[MemoryEmbeddingModel], Case],
) -> None:
    case = opened(MemoryEmbeddingModel())
    text = document(case.library.topics[GOOD])
    case.spoil(GOOD, f"---\nallow: [public]\n---\n{text}".encode())
    kept = case.library.topics.pop(GOOD)
    run_once(case.lockstep)
    assert differences(case.lockstep, case.library) == []
    case.library.write(GOOD, kept)
    run_once(case.lockstep)
    assert differences(case.lockstep, case.library) == []


def test_a_broken_access_file_closes_what_is_below_it_until_it_is_mended(
    opened: Callable[[MemoryEmbeddingModel], Case],
) -> None:
    case = opened(MemoryEmbeddingModel())
    case.spoil("open/.access.yaml", b"allow: [public\n")
    case.library.write(OTHER, version(4, revision=1))
    before = case.library.rules["open"]
    case.library.rules["open"] = Rules(allow=set())
    run_once(case.lockstep)
    assert differences(case.lockstep, case.library) == []
    case.library.rules["open"] = before
    case.library.write_rules("open")
    run_once(case.lockstep)
    assert differences(case.lockstep, case.library) == []


@pytest.mark.parametrize(
    ("spoil", "said"), [(one_short, "shape"), (one_too_few, "shape"), (no_number, "finite"), (zeros, "zeros")]
)
def test_a_model_that_answers_nonsense_for_one_document_holds_that_one_alone(
    opened: Callable[[MemoryEmbeddingModel], Case], spoil: Spoil, said: str
) -> None:
    """F27. The old version stays searchable; other documents of the batch are published."""
    case = opened(Moody("Beware", spoil))
    case.spoil(GOOD, b"# Handbook\n\nBeware of topic000 part 1 revision 9.\n")
    case.library.write(OTHER, version(4, revision=1))
    once = run_once(case.lockstep)
    assert (once.drained.held, once.drained.documents) == (1, 1)
    assert differences(case.lockstep, case.library) == []
    reason = case.held()["topic000.md"]
    assert "chunk 1" in reason
    assert said in reason
    case.library.write(GOOD, version(0, revision=2))
    run_once(case.lockstep)
    assert (case.held(), differences(case.lockstep, case.library)) == ({}, [])
    assert case.lockstep.audit.run().clean
