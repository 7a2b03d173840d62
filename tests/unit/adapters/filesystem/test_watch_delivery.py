"""How hints reach whoever accepts them, and how a watch begins and ends."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from ingest.adapters.filesystem.source import FileSource
from ingest.adapters.filesystem.watcher import FileWatcher
from ingest.errors import Refused, StoreUnavailable
from ingest.model.event import Event
from tests.unit.adapters.filesystem.mirror import LIMIT_S, Mirror, watching


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    return root


def test_hints_are_kept_while_nobody_can_take_them(root: Path) -> None:
    mirror, refusals, blocked = Mirror(root), [3], threading.Event()

    def accept(events: Sequence[Event]) -> None:
        if refusals[0]:
            refusals[0] -= 1
            blocked.set()
            raise StoreUnavailable("the catalog", "localhost")
        mirror.accept(events)

    watcher = FileWatcher(mirror.source, check_s=0.05)
    watcher.start(accept)
    try:
        (root / "a.md").write_text("a")
        assert blocked.wait(LIMIT_S)
        (root / "b").mkdir()
        (root / "b" / "c.md").write_text("c")
        mirror.wait_for(lambda: mirror.texts == {"a.md": "a", "b/c.md": "c"})
        assert watcher.healthy
    finally:
        watcher.stop()


@pytest.mark.parametrize("error", [Refused("no such source"), ZeroDivisionError("a bug")])
def test_a_batch_that_is_refused_is_a_loss_and_the_watch_goes_on(root: Path, error: Exception) -> None:
    mirror, errors, refused = Mirror(root), [error], threading.Event()

    def accept(events: Sequence[Event]) -> None:
        if errors:
            refused.set()
            raise errors.pop()
        mirror.accept(events)

    watcher = FileWatcher(mirror.source, check_s=0.05)
    watcher.start(accept)
    try:
        (root / "a.md").write_text("a")
        assert refused.wait(LIMIT_S)
        mirror.scan()
        mirror.converged()
        assert not watcher.healthy
    finally:
        watcher.stop()


def test_polling_sees_what_inotify_would(root: Path) -> None:
    (root / "a").mkdir()
    (root / "a" / "one.md").write_text("one")
    (root.parent / "outside").mkdir()
    (root / "link").symlink_to(root.parent / "outside")
    with watching(root, poll_s=0.05) as (mirror, watcher):
        (root / "a").rename(root / "b")
        (root / "two.md").write_text("two")
        mirror.wait_for(lambda: mirror.texts == {"b/one.md": "one", "two.md": "two"})
        (root / "two.md").unlink()
        mirror.wait_for(lambda: mirror.texts == {"b/one.md": "one"})
        assert watcher.healthy


def test_stopping_ends_every_thread(root: Path) -> None:
    before = set(threading.enumerate())
    with watching(root) as (mirror, _):
        mirror.converged()
    assert set(threading.enumerate()) <= before


def test_a_watcher_that_never_started_stops(root: Path) -> None:
    FileWatcher(FileSource(root)).stop()
