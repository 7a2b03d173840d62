"""Directories of the embedded vector index that cannot be used as they are: one line that names the way out."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ingest.adapters.qdrant_edge.index import QdrantEdgeIndex
from ingest.adapters.qdrant_edge.settings import QdrantEdgeSettings
from ingest.errors import AlreadyRunning, ForeignIndex, GenerationGone, StoreFull, StoreUnavailable
from tests.contract.records import ids, record
from tests.contract.vector_index import DIMENSION, at_cosine

ROWS = np.array([at_cosine(0.5)])


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "vectors"


def made(directory: Path) -> QdrantEdgeIndex:
    index = QdrantEdgeIndex(directory, dimension=DIMENSION)
    index.create()
    index.add([record(1)], ROWS, findable=True)
    return index


def refused(directory: Path) -> str:
    with pytest.raises(ForeignIndex, match="build the index anew") as refusal:
        QdrantEdgeIndex(directory, dimension=DIMENSION).create()
    return str(refusal.value)


def test_making_the_object_opens_nothing(directory: Path) -> None:
    index = QdrantEdgeIndex(directory, dimension=DIMENSION)
    assert not directory.exists()
    with pytest.raises(GenerationGone):
        index.fetch(ids(1))


def test_an_index_is_opened_by_the_first_call(directory: Path) -> None:
    made(directory).close()
    index = QdrantEdgeIndex(directory, dimension=DIMENSION)
    assert len(index.fetch(ids(1))) == 1
    index.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        index.fetch(ids(1))


def test_a_second_opener_is_told_that_it_is_running(directory: Path) -> None:
    index = made(directory)
    with pytest.raises(AlreadyRunning, match="another process"):
        QdrantEdgeIndex(directory, dimension=DIMENSION).create()
    index.close()


def test_an_index_of_another_dimension_is_foreign(directory: Path) -> None:
    made(directory).close()
    with pytest.raises(ForeignIndex):
        QdrantEdgeIndex(directory, dimension=DIMENSION + 1).create()


def test_a_directory_with_other_things_in_it_is_foreign_and_left_alone(directory: Path) -> None:
    directory.mkdir()
    (directory / "thesis.tex").write_text("mine")
    assert "thesis.tex" in refused(directory)
    QdrantEdgeIndex(directory, dimension=DIMENSION).drop()
    assert (directory / "thesis.tex").read_text() == "mine"


def test_a_file_in_its_place_is_foreign(directory: Path) -> None:
    directory.write_text("a file")
    refused(directory)


@pytest.mark.parametrize("damaged", ["segment.json", "edge_config.json", "current", "shard-1"])
def test_a_damaged_index_is_refused_and_can_be_built_anew(directory: Path, damaged: str) -> None:
    made(directory).close()
    for path in [*directory.rglob(damaged)]:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.write_bytes(b"\xff nonsense")
    refused(directory)
    index = QdrantEdgeIndex(directory, dimension=DIMENSION)
    index.drop()
    index.create()
    assert index.fetch(ids(1)) == {}
    index.close()


def test_the_last_space_is_not_taken(directory: Path) -> None:
    made(directory).close()
    settings = QdrantEdgeSettings(reserve_bytes=2**60)
    index = QdrantEdgeIndex(directory, dimension=DIMENSION, settings=settings)
    with pytest.raises(StoreFull):
        index.add([record(2)], ROWS, findable=True)
    with pytest.raises(StoreFull):
        index.optimise()
    assert index.fetch(ids(1, 2)).keys() == {ids(1)[0]}
    index.close()


def test_what_was_added_survives_a_kill_without_a_flush(directory: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; from tests.contract.test_qdrant_edge_opening import made;"
        "index = made(Path(sys.argv[1])); os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, str(directory)], check=False, env=dict(os.environ), timeout=60
    )
    assert ended.returncode == -signal.SIGKILL
    index = QdrantEdgeIndex(directory, dimension=DIMENSION)
    assert len(index.fetch(ids(1))) == 1
    index.close()
