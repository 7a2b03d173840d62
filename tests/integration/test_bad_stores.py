"""Stores and models that are missing, foreign, full or down: one line that names the thing and the way out."""

import logging
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from opensearchpy import OpenSearch
from pydantic import SecretStr
from sqlalchemy import event
from sqlalchemy.engine import make_url

from ingest.adapters.memory.embedding_model import MemoryEmbeddingModel
from ingest.adapters.qdrant_edge.index import QdrantEdgeIndex
from ingest.adapters.qdrant_edge.settings import QdrantEdgeSettings
from ingest.adapters.sqlite_fts import SqliteFtsIndex, SqliteFtsSettings
from ingest.bootstrap import bootstrap
from ingest.errors import (
    AlreadyRunning,
    ForeignIndex,
    GenerationMismatch,
    ModelMissing,
    StoreFull,
    StoreUnavailable,
)
from ingest.lockstep import Lockstep
from ingest.model.event import DocumentHint
from ingest.settings import ModelSettings, OpenSearchLexical, Settings
from tests.integration.kill_victim import new_runner
from tests.integration.library import Library
from tests.integration.proxy import Proxy
from tests.integration.servers import on_servers, vectors
from tests.integration.watched import differences, model_of, new_library, settings_of, version, wait_until
from worker.runner import run_once

KEY = "open/topic000.md"


def says(error: BaseException, *words: str) -> bool:
    """Whether an error is one line that holds these words."""
    said = str(error)
    assert "\n" not in said
    assert len(said) < 500
    assert all(word in said for word in words), said
    return True


@contextmanager
def opened(base: Path, settings: Settings | None = None) -> Iterator[tuple[Lockstep, Library]]:
    """An embedded installation with a library of 12 documents, indexed."""
    library = new_library(base, 12)
    with bootstrap(settings or settings_of(base), model=model_of(base)) as lockstep:
        assert run_once(lockstep).problems == []
        yield lockstep, library


@dataclass(frozen=True, slots=True)
class Stored:
    """Where an installation that was closed keeps its indexes."""

    lexical: Path
    vectors: Path


def closed(base: Path) -> tuple[Library, Stored]:
    with opened(base) as (lockstep, library):
        suffix = lockstep.generation.suffix
    return library, Stored(base / "data" / f"lexical-{suffix}.db", base / "data" / f"vectors-{suffix}")


# --- models


def test_a_model_that_is_missing_is_named_with_the_way_out(tmp_path: Path) -> None:
    new_library(tmp_path, 4)
    settings = settings_of(tmp_path, model=ModelSettings(directory=tmp_path / "no-model", dimension=8, max_tokens=64))
    with pytest.raises(ModelMissing) as raised:
        bootstrap(settings)
    assert says(raised.value, "no-model")
    assert not (tmp_path / "data").exists()


def test_a_model_of_another_dimension_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    library, _ = closed(tmp_path)
    with pytest.raises(GenerationMismatch) as raised:
        bootstrap(settings_of(tmp_path), model=MemoryEmbeddingModel(dimension=32))
    assert says(raised.value, "model", "set it back")
    with bootstrap(settings_of(tmp_path), model=model_of(tmp_path)) as lockstep:
        assert differences(lockstep, library) == []


# --- indexes that are not ours


def test_a_foreign_lexical_index_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    library, stored = closed(tmp_path)
    kept = stored.lexical.with_name("kept.db")
    stored.lexical.rename(kept)
    with sqlite3.connect(stored.lexical) as foreign:
        foreign.execute("CREATE TABLE invoices (id INTEGER)")
    foreign.close()
    with pytest.raises(ForeignIndex) as raised:
        bootstrap(settings_of(tmp_path), model=model_of(tmp_path))
    assert says(raised.value, str(stored.lexical), "move it away")
    with sqlite3.connect(stored.lexical) as foreign:
        assert foreign.execute("SELECT name FROM sqlite_master").fetchall() == [("invoices",)]
    foreign.close()
    kept.replace(stored.lexical)
    with bootstrap(settings_of(tmp_path), model=model_of(tmp_path)) as lockstep:
        assert differences(lockstep, library) == []


def test_a_damaged_lexical_index_is_built_anew_from_the_cache_once_it_is_moved_away(tmp_path: Path) -> None:
    library, stored = closed(tmp_path)
    for file in stored.lexical.parent.glob(f"{stored.lexical.name}-*"):
        file.unlink()
    stored.lexical.write_bytes(b"no database at all" * 1_000)
    with pytest.raises(ForeignIndex) as raised:
        bootstrap(settings_of(tmp_path), model=model_of(tmp_path))
    assert says(raised.value, str(stored.lexical), "move it away")
    stored.lexical.unlink()
    with bootstrap(settings_of(tmp_path), model=model_of(tmp_path)) as lockstep:
        once = run_once(lockstep)
        assert (once.problems, once.drained.embedded) == ([], 0)
        assert differences(lockstep, library) == []
        assert lockstep.audit.run().clean


@pytest.mark.parametrize("harm", ["another dimension", "damaged", "gone"])
def test_a_vector_index_that_does_not_open_is_built_anew_from_the_cache(tmp_path: Path, harm: str) -> None:
    library, stored = closed(tmp_path)
    if harm == "damaged":
        for file in stored.vectors.rglob("*.json"):
            file.write_text("{")
    else:
        shutil.rmtree(stored.vectors)
    if harm == "another dimension":
        other = QdrantEdgeIndex(stored.vectors, dimension=8)
        other.create()
        other.close()
    with bootstrap(settings_of(tmp_path), model=model_of(tmp_path)) as lockstep:
        once = run_once(lockstep)
        assert (once.problems, once.drained.embedded) == ([], 0)
        assert differences(lockstep, library) == []
        assert lockstep.audit.run().clean


def test_an_opensearch_index_with_a_foreign_mapping_is_refused_and_left_as_it_is(
    tmp_path: Path, opensearch_url: str, opensearch_client: OpenSearch
) -> None:
    lexical = OpenSearchLexical(kind="opensearch", hosts=(opensearch_url,), refresh_interval_s=0.05)
    settings = settings_of(tmp_path, lexical=lexical)
    with opened(tmp_path, settings) as (lockstep, _):
        name = f"lockstep-{lockstep.generation.suffix}"
        lockstep.lexical.drop()
    opensearch_client.indices.create(index=name, body={"mappings": {"properties": {"text": {"type": "keyword"}}}})
    try:
        with pytest.raises(ForeignIndex) as raised:
            bootstrap(settings, model=model_of(tmp_path))
        assert says(raised.value, name, urlsplit(opensearch_url).netloc, "remove")
        mapping = opensearch_client.indices.get_mapping(index=name)[name]["mappings"]
        assert mapping == {"properties": {"text": {"type": "keyword"}}}
    finally:
        opensearch_client.indices.delete(index=name)


def test_a_second_process_on_one_directory_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as (lockstep, library):
        with pytest.raises(AlreadyRunning) as raised:
            bootstrap(settings_of(tmp_path), model=model_of(tmp_path))
        assert says(raised.value, str(tmp_path / "data"))
        assert differences(lockstep, library) == []


# --- full disks


def edit(library: Library, revision: int, size: int = 0) -> None:
    """A change of one document, with as many more words as a test needs to fill something."""
    library.write(KEY, version(0, revision))
    if size:
        path = library.root / KEY
        path.write_text(path.read_text() + "\n".join(f"word{n}x{n * 7} and so on." for n in range(size)))


def full(lockstep: Lockstep, library: Library, *words: str) -> None:
    """A drain fails with one line; the old version is found; nothing counts as done, held, or somebody's crash."""
    old = library.topics[KEY]
    edit(library, revision=5, size=4_000)
    lockstep.acceptor.accept(lockstep.sources[0].id, [DocumentHint(KEY)])
    for _ in range(5):  # more often than a document may crash its worker
        with pytest.raises(StoreFull) as raised:
            wait_until(lambda: lockstep.drain().documents > 0, 5, "the drain fails")
        assert says(raised.value, *words, "free some")
    new, library.topics[KEY] = library.topics[KEY], old
    assert differences(lockstep, library) == []
    library.topics[KEY] = new


def goes_on(lockstep: Lockstep, library: Library) -> None:
    """There is space again: what waited is done without a step of anybody."""
    wait_until(lambda: lockstep.drain().documents > 0, 10, "the waiting document goes on")
    assert differences(lockstep, library) == []
    assert lockstep.audit.run().clean


def test_a_full_disk_under_the_lexical_index_holds_nothing_back_for_good(tmp_path: Path) -> None:
    knobs = SqliteFtsSettings(largest_pages=60)
    lexical = SqliteFtsIndex(tmp_path / "lexical.db", settings=knobs)
    library = new_library(tmp_path, 12)
    with bootstrap(settings_of(tmp_path), model=model_of(tmp_path), lexical=lexical) as lockstep:
        run_once(lockstep)
        full(lockstep, library, "lexical.db")
    roomy = SqliteFtsIndex(tmp_path / "lexical.db")
    with bootstrap(settings_of(tmp_path), model=model_of(tmp_path), lexical=roomy) as lockstep:
        goes_on(lockstep, library)


def test_a_full_disk_under_the_vector_index_holds_nothing_back_for_good(tmp_path: Path) -> None:
    library = new_library(tmp_path, 12)
    model = model_of(tmp_path)
    with bootstrap(settings_of(tmp_path), model=model) as lockstep:
        run_once(lockstep)
        path = tmp_path / "data" / f"vectors-{lockstep.generation.suffix}"
    # so large a reserve that the disk counts as full
    reserve = shutil.disk_usage(tmp_path).total
    tight = QdrantEdgeIndex(path, dimension=model.dimension, settings=QdrantEdgeSettings(reserve_bytes=reserve))
    with bootstrap(settings_of(tmp_path), model=model, vector=tight) as lockstep:
        full(lockstep, library, str(path))
    with bootstrap(settings_of(tmp_path), model=model) as lockstep:
        goes_on(lockstep, library)


def test_a_full_disk_under_the_catalog_accepts_nothing_and_loses_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as (lockstep, library):
        old = library.topics[KEY]
        edit(library, revision=5, size=4_000)
        lockstep.acceptor.accept(lockstep.sources[0].id, [DocumentHint(KEY)])

        def no_more_pages(connection: sqlite3.Connection, *_: object) -> None:
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {pages}")

        def as_many_as_fit(connection: sqlite3.Connection, *_: object) -> None:
            connection.execute("PRAGMA max_page_count = 1000000")

        event.listen(lockstep.database.engine, "checkout", no_more_pages)
        with pytest.raises(StoreFull) as raised:
            lockstep.drain()
        assert says(raised.value, "catalog.db", "free some")
        new, library.topics[KEY] = library.topics[KEY], old
        assert differences(lockstep, library) == []
        library.topics[KEY] = new
        event.remove(lockstep.database.engine, "checkout", no_more_pages)
        event.listen(lockstep.database.engine, "checkout", as_many_as_fit)
        goes_on(lockstep, library)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 300 MB in memory, where this user may mount one; else a folder on the disk that is there."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300m", "none", disk], check=False).returncode == 0
    yield disk
    if mounted:
        subprocess.run(["umount", "--lazy", disk], check=True)


def test_a_disk_that_is_really_full_stops_indexing_and_not_searching(small_disk: Path) -> None:
    if not small_disk.is_mount():
        return  # the cases above imitate it
    with opened(small_disk) as (lockstep, library):
        free = shutil.disk_usage(small_disk).free
        filler = small_disk / "filler"
        filler.write_bytes(bytes(free - 40_000_000))
        full(lockstep, library, "vectors-")
        filler.unlink()
        goes_on(lockstep, library)


# --- stores that are down


def test_an_opensearch_node_that_is_down_is_named_and_what_waited_goes_on(tmp_path: Path, opensearch_url: str) -> None:
    node = urlsplit(opensearch_url)
    assert node.hostname
    assert node.port
    with Proxy(node.hostname, node.port) as proxy:
        here = f"http://127.0.0.1:{proxy.port}"
        lexical = OpenSearchLexical(kind="opensearch", hosts=(here,), refresh_interval_s=0.05)
        with opened(tmp_path, settings_of(tmp_path, lexical=lexical)) as (lockstep, library):
            proxy.cut()
            library.write(KEY, version(0, revision=1))
            for ask in (lambda: run_once(lockstep), lambda: differences(lockstep, library)):
                with pytest.raises(StoreUnavailable) as raised:
                    ask()
                assert says(raised.value, "OpenSearch", f"127.0.0.1:{proxy.port}", "is it running")
            proxy.join()
            assert run_once(lockstep).problems == []
            assert differences(lockstep, library) == []
            assert lockstep.audit.run().clean
            lockstep.lexical.drop()


def test_a_database_that_is_down_is_named_and_what_waited_goes_on(
    tmp_path: Path, postgres_database: str, opensearch_url: str
) -> None:
    url = make_url(postgres_database)
    assert url.host
    assert url.port
    library = new_library(tmp_path, 12)
    model = model_of(tmp_path)
    with Proxy(url.host, url.port) as proxy:
        through = url.set(host="127.0.0.1", port=proxy.port).render_as_string(hide_password=False)
        settings = on_servers(settings_of(tmp_path), through, opensearch_url)
        with vectors(model.dimension) as vector, bootstrap(settings, model=model, vector=vector) as lockstep:
            run_once(lockstep)
            runner = new_runner(lockstep)
            runner.start()
            try:
                proxy.cut()
                with pytest.raises(StoreUnavailable) as raised:
                    differences(lockstep, library)
                assert says(raised.value, "catalog", "127.0.0.1", "is it running")
                assert str(url.password) not in str(raised.value)
                library.write(KEY, version(0, revision=1))
                proxy.join()
                wait_until(lambda: not differences(lockstep, library), 20, "the edit is found")
            finally:
                proxy.join()
                runner.stop()
            assert lockstep.audit.run().clean
            lockstep.lexical.drop()


def test_a_store_that_is_down_at_the_start_is_named(tmp_path: Path) -> None:
    new_library(tmp_path, 4)
    nowhere = OpenSearchLexical(kind="opensearch", hosts=("http://127.0.0.1:9",))
    with pytest.raises(StoreUnavailable) as raised:
        bootstrap(settings_of(tmp_path, lexical=nowhere), model=model_of(tmp_path))
    assert says(raised.value, "OpenSearch", "127.0.0.1:9", "is it running")
    with pytest.raises(StoreUnavailable) as raised:
        bootstrap(
            settings_of(tmp_path, catalog=SecretStr("postgresql+psycopg://me:secret@127.0.0.1:9/nothing")),
            model=model_of(tmp_path),
        )
    assert says(raised.value, "catalog", "127.0.0.1", "is it running")
    assert "secret" not in str(raised.value)


def test_a_run_says_in_one_line_that_a_store_is_down(
    tmp_path: Path, opensearch_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    node = urlsplit(opensearch_url)
    assert node.hostname
    assert node.port
    with Proxy(node.hostname, node.port) as proxy:
        lexical = OpenSearchLexical(kind="opensearch", hosts=(f"http://127.0.0.1:{proxy.port}",))
        with opened(tmp_path, settings_of(tmp_path, lexical=lexical)) as (lockstep, library):
            runner = new_runner(lockstep)
            runner.start()
            try:
                assert runner.ready.wait(20)
                proxy.cut()
                library.write(KEY, version(0, revision=1))
                wait_until(lambda: _complaints(caplog) != [], 30, "the runner complains")
                proxy.join()
                wait_until(lambda: not differences(lockstep, library), 30, "the edit is found")
            finally:
                runner.stop()
                lockstep.lexical.drop()
    ours = [record for record in caplog.records if record.name.startswith(("ingest", "worker"))]
    assert [record.getMessage() for record in ours if record.exc_info] == []
    assert logging.getLogger("opensearch").handlers  # else Python prints the client's tracebacks where nobody listens


def _complaints(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [str(r.__dict__["reason"]) for r in caplog.records if "OpenSearch" in str(r.__dict__.get("reason"))]
