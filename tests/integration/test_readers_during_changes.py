"""Two readers ask without a pause while documents are edited, withdrawn and shared; every answer is checked."""

import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ingest.adapters.memory.embedding_model import MemoryEmbeddingModel
from ingest.bootstrap import bootstrap
from ingest.catalog import generations
from ingest.lockstep import Lockstep
from ingest.model.principal import parse_principal
from ingest.model.query import Question
from ingest.settings import DirectorySource, Settings, UpkeepSettings
from tests.integration.changes import FOLDERS, READERS, TOPICS_A_FOLDER, Writer, new_library
from tests.integration.library import Library, by_topic, name_of
from tests.integration.report import say
from tests.integration.servers import on_servers, opened
from tests.integration.truth import contradiction
from worker.runner import run_once

CHANGES, QUERIES, SPANNING = 200, 1_000, 50
TOPICS = len(FOLDERS) * TOPICS_A_FOLDER
SEED = 20_250_806


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return new_library(Library(tmp_path / "documents", tmp_path / "groups.yaml"), SEED)


@pytest.fixture
def settings(library: Library, tmp_path: Path) -> Settings:
    return Settings(
        data=tmp_path / "data",
        sources={"library": DirectorySource(path=library.root)},
        directories={"local": library.groups_file},
        upkeep=UpkeepSettings(grace_s=0.5, second_delete_s=0.5),
    )


@pytest.fixture
def embedded(settings: Settings) -> Iterator[Lockstep]:
    with bootstrap(settings, model=MemoryEmbeddingModel()) as lockstep:
        yield lockstep


@pytest.fixture
def on_real_servers(settings: Settings, postgres_database: str, opensearch_url: str) -> Iterator[Lockstep]:
    with opened(on_servers(settings, postgres_database, opensearch_url), MemoryEmbeddingModel()) as lockstep:
        yield lockstep


@dataclass
class Reader:
    """Asks for one topic after the other and compares every answer with the truth."""

    name: str
    lockstep: Lockstep
    writer: Writer
    seed: int
    stopping: threading.Event
    queries: int = 0
    spanning: int = 0
    """Queries during which a publish was committed."""
    withheld: int = 0
    """Answers that left out a text because it was out of date when it was shared."""
    steps_crossed: int = 0
    failures: list[str] = field(default_factory=list)

    def run(self) -> None:
        random_ = random.Random(self.seed)
        try:
            while not self.stopping.is_set():
                # the broad question has no topic that must be found, and shows many documents at once
                self._ask(random_.randrange(TOPICS) if random_.random() < 0.9 else None)
        except Exception as error:
            self.failures.append(repr(error))
        finally:
            if self.failures:
                self.stopping.set()

    def _ask(self, topic: int | None) -> None:
        text, limit = ("what is counted every week", 60) if topic is None else (name_of(topic), 20)
        question = Question(text, frozenset({parse_principal(self.name)}), limit=limit)
        first = self.writer.truth.done
        answer = self.lockstep.searcher.search(question)
        last = self.writer.truth.begun
        with self.lockstep.database.read() as tx:
            active = generations.active(tx)
        assert active is not None
        self.queries += 1
        self.spanning += active.epoch > answer.epoch
        self.withheld += answer.pending > 0
        self.steps_crossed += last > first
        wrong = contradiction(self.writer.truth.states(first, last), self.name, by_topic(answer.hits), topic)
        if wrong:
            self.failures.append(f"steps {first} to {last}, epoch {answer.epoch}: {wrong}")
            self.stopping.set()


def check_readers(lockstep: Lockstep, library: Library, *, within_s: float) -> None:
    began = time.monotonic()
    assert run_once(lockstep).problems == []
    writer = Writer(library, lockstep, SEED)
    stopping = threading.Event()
    readers = [Reader(name, lockstep, writer, SEED + i, stopping) for i, name in enumerate(READERS)]
    threads = [threading.Thread(target=reader.run, name=reader.name) for reader in readers]
    for thread in threads:
        thread.start()
    try:
        rounds = 0
        while not (stopping.is_set() or _enough(writer, readers)):
            assert time.monotonic() - began < within_s, _figures(writer, readers)
            asked = [reader.queries for reader in readers]
            writer.round()
            rounds += 1
            if rounds % 10 == 0:
                lockstep.vacuum.run()
            _wait_until_asked(readers, asked, 5, stopping)
    finally:
        stopping.set()
        for thread in threads:
            thread.join()
    say(f"{_figures(writer, readers)}; {time.monotonic() - began:.1f} s")
    assert [reader.failures for reader in readers] == [[], []], "\n".join(writer.told[-10:])
    assert all(writer.counts.values()), writer.counts
    assert any(reader.withheld for reader in readers)
    _check_end(lockstep, writer, readers)


def _enough(writer: Writer, readers: list[Reader]) -> bool:
    asked = all(reader.queries >= QUERIES for reader in readers)
    return asked and sum(writer.counts.values()) >= CHANGES and sum(reader.spanning for reader in readers) >= SPANNING


def _wait_until_asked(readers: list[Reader], before: list[int], more: int, stopping: threading.Event) -> None:
    """Spread the changes over the queries."""
    while not stopping.wait(0.001):
        if all(reader.queries >= asked + more for reader, asked in zip(readers, before, strict=True)):
            return


def _figures(writer: Writer, readers: list[Reader]) -> str:
    queries = ", ".join(
        f"{r.name}: {r.queries} queries, {r.spanning} spanning a publish, {r.steps_crossed} crossing a step, "
        f"{r.withheld} withholding"
        for r in readers
    )
    return f"{sum(writer.counts.values())} changes {writer.counts}; {queries}"


def _check_end(lockstep: Lockstep, writer: Writer, readers: list[Reader]) -> None:
    state = writer.truth.states(writer.truth.done, writer.truth.done)
    for reader in readers:
        for topic in range(TOPICS):
            question = Question(name_of(topic), frozenset({parse_principal(reader.name)}), limit=20)
            answer = lockstep.searcher.search(question)
            assert contradiction(state, reader.name, by_topic(answer.hits), topic) is None
            assert answer.pending == 0
    audited = lockstep.audit.run()
    assert audited.clean, audited


@pytest.mark.timeout(120)
def test_readers_of_the_embedded_stores_see_one_state_and_nothing_forbidden(
    embedded: Lockstep, library: Library
) -> None:
    check_readers(embedded, library, within_s=60)


@pytest.mark.timeout(200)
def test_readers_of_real_servers_see_one_state_and_nothing_forbidden(
    on_real_servers: Lockstep, library: Library
) -> None:
    check_readers(on_real_servers, library, within_s=120)
