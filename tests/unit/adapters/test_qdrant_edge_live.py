"""A shard is not closed under a search, and a copy learns of every write."""

from pathlib import Path
from threading import Thread

import pytest

from ingest.adapters.qdrant_edge.live import LiveShard, Numbered
from ingest.adapters.qdrant_edge.settings import QdrantEdgeSettings
from ingest.adapters.qdrant_edge.shard import make
from tests.contract.records import ids


def numbered(directory: Path, number: int) -> Numbered:
    return Numbered(number, make(directory / str(number), 4, QdrantEdgeSettings()))


@pytest.fixture
def live(tmp_path: Path) -> LiveShard:
    return LiveShard(numbered(tmp_path, 1))


def test_a_shard_is_closed_when_the_last_search_has_left_it(live: LiveShard, tmp_path: Path) -> None:
    with live.reading() as searched:
        with live.writing(()):
            old = live.exchange(numbered(tmp_path, 2))
        retiring = Thread(target=live.retire, args=(old,))
        retiring.start()
        retiring.join(timeout=0.1)
        assert retiring.is_alive()
        assert searched.shard.info().points_count == 0
        with live.reading() as next_search:
            assert next_search.number == 2
    retiring.join(timeout=5)
    assert not retiring.is_alive()
    live.close()


def test_what_writes_touch_is_told_once_and_also_when_they_failed(live: LiveShard) -> None:
    def fail() -> None:
        with live.writing(ids(2)):
            raise OSError("the disk")

    with live.writing(ids(9)):
        live.watch()
    with live.writing(ids(3, 1)):
        pass
    with pytest.raises(OSError, match="the disk"):
        fail()
    assert (live.touched(), live.touched()) == (ids(1, 2, 3), [])
    live.unwatch()
    live.close()
