"""What a watcher does when hints may be lost: says so once, and watches again."""

import logging
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.adapters.filesystem.source import FileSource
from ingest.adapters.filesystem.watcher import FileWatcher
from tests.unit.adapters.filesystem.mirror import LIMIT_S, watching


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    return root


def healthy(watcher: FileWatcher) -> bool:
    """Asks; the answer is another one each time."""
    return watcher.healthy


class Attention(logging.Handler):
    """Lets a test wait for a line of the watcher's log."""

    def __init__(self) -> None:
        super().__init__()
        self._events: dict[str, threading.Event] = {"watch.lost": threading.Event(), "watch.back": threading.Event()}

    def emit(self, record: logging.LogRecord) -> None:
        if event := self._events.get(getattr(record, "event", "")):
            event.set()

    def wait(self, name: str) -> None:
        assert self._events[name].wait(LIMIT_S), f"no {name}"
        self._events[name].clear()


@pytest.fixture
def log() -> Iterator[Attention]:
    handler, logger = Attention(), logging.getLogger("ingest.adapters.filesystem.watcher")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield handler
    logger.setLevel(logging.NOTSET)
    logger.removeHandler(handler)


@pytest.mark.parametrize("module", ["inotify", "inotify_c"])
def test_an_overflow_that_watchdog_only_logs_is_a_loss_once(root: Path, module: str) -> None:
    with watching(root) as (mirror, watcher):
        assert healthy(watcher)
        logging.getLogger(f"watchdog.observers.{module}").warning(
            "Inotify queue overflowed; filesystem events were lost"
        )
        assert not healthy(watcher)
        assert healthy(watcher)
        mirror.converged()


def test_a_loss_is_noticed_although_the_application_hides_warnings(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logger = logging.getLogger("watchdog.observers.inotify")
    monkeypatch.setattr(logger, "level", logging.CRITICAL)
    with watching(root) as (_, watcher):
        logger.warning("Inotify queue overflowed; reconciling recursive watches below %r", b"root")
        assert not healthy(watcher)


def test_a_root_deleted_and_made_again_is_watched_again(root: Path, log: Attention) -> None:
    (root / "a.md").write_text("old")
    with watching(root) as (mirror, watcher):
        assert healthy(watcher)
        shutil.rmtree(root)
        log.wait("watch.lost")
        assert not healthy(watcher)
        assert healthy(watcher)
        root.mkdir()
        (root / "a.md").write_text("made before the watch was back")
        log.wait("watch.back")
        assert not healthy(watcher)
        mirror.scan()
        (root / "b.md").write_text("new")
        mirror.converged()
        assert healthy(watcher)


def test_a_root_renamed_away_is_noticed_without_an_event(root: Path, log: Attention) -> None:
    with watching(root) as (mirror, watcher):
        root.rename(root.with_name("away"))
        log.wait("watch.lost")
        root.with_name("away").rename(root)
        log.wait("watch.back")
        assert not healthy(watcher)
        mirror.converged()


def test_a_root_that_is_missing_at_the_start_is_watched_when_it_comes(root: Path, log: Attention) -> None:
    root.rmdir()
    source, told = FileSource(root), threading.Event()
    watcher = FileWatcher(source, check_s=0.05)
    watcher.start(lambda _: told.set())
    try:
        assert not healthy(watcher)
        root.mkdir()
        log.wait("watch.back")
        assert not healthy(watcher)
        (root / "a.md").write_text("x")
        assert told.wait(LIMIT_S)
    finally:
        watcher.stop()


def test_a_thread_of_watchdog_that_dies_is_replaced(root: Path, log: Attention) -> None:
    with watching(root) as (mirror, watcher):
        observer: Any = watcher._observation._observer
        observer._inotify_fd.stop()
        log.wait("watch.back")
        assert not healthy(watcher)
        mirror.converged()
