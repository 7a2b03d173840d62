"""What editors and people do to files while `run` watches, end to end: found as it stands, soon, and nothing else.

Waits are for conditions, with a limit. Pauses between writes are part of what is imitated.
"""

import os
import shutil
import threading
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ingest import failpoints
from ingest.adapters.memory.embedding_model import MemoryEmbeddingModel
from ingest.bootstrap import bootstrap
from ingest.catalog import documents, generations, sources
from ingest.lockstep import Lockstep
from ingest.model.event import DocumentHint
from ingest.model.principal import PUBLIC
from ingest.model.query import Question
from ingest.settings import WatchSettings
from tests.integration.kill_victim import new_runner
from tests.integration.library import Library, Part, Rules, Version, document, name_of, parts_in
from tests.integration.watched import differences, settings_of, version, wait_until
from worker.runner import Runner, next_due

SOON_S = 15.0


class Interrupted(MemoryEmbeddingModel):
    """Does something in the middle of its next call."""

    def __init__(self) -> None:
        super().__init__(refuse=self._interrupt)
        self.next: Callable[[], None] | None = None

    def _interrupt(self, text: str) -> None:
        act, self.next = self.next, None
        if act is not None:
            act()


@dataclass
class Watched:
    """A library that a runner watches. `library` is what must be found."""

    library: Library
    lockstep: Lockstep
    runner: Runner
    model: Interrupted
    outside: Path

    @property
    def root(self) -> Path:
        return self.library.root

    def put(self, key: str, topic: int, revision: int = 0, parts: int = 2) -> None:
        """A document that somebody else writes into the tree: only what must be found is noted here."""
        self.library.topics[key] = version(topic, revision, parts)

    def text(self, topic: int, revision: int = 0, parts: int = 2) -> str:
        return document(version(topic, revision, parts))

    def converges(self) -> None:
        """Answers equal the files, no other document lives, and catalog and stores agree."""
        wait_until(lambda: self.keys() == set(self.library.topics), SOON_S, "the documents are those of the files")
        wait_until(lambda: differences(self.lockstep, self.library) == [], SOON_S, "answers equal the files")
        wait_until(lambda: next_due(self.lockstep) is None, SOON_S, "nothing is due")
        audited = self.lockstep.audit.run()
        assert audited.clean, audited
        assert self.keys() == set(self.library.topics)

    def keys(self) -> set[str]:
        """Of documents that are not deleted."""
        with self.lockstep.database.read() as tx:
            rows = documents.of_source(tx, self.lockstep.sources[0].id)
            return set(documents.keys(tx, [row.id for row in rows]).values())

    def found(self, topic: int) -> Version:
        hits = self.lockstep.searcher.search(Question(name_of(topic), frozenset({PUBLIC}), limit=30)).hits
        return frozenset(part for hit in hits for part in parts_in(hit.text) if part.topic == topic)

    @property
    def problem(self) -> str:
        """What is noted with the source."""
        with self.lockstep.database.read() as tx:
            return sources.get(tx, self.lockstep.sources[0].id).problem or ""

    @property
    def epoch(self) -> int:
        with self.lockstep.database.read() as tx:
            active = generations.active(tx)
        assert active
        return active.epoch


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    library = Library(tmp_path / "documents", tmp_path / "groups.yaml", rules={"": Rules(allow={"public"})})
    library.write_rules("")
    library.write_groups()
    library.write("doc.md", version(0, revision=0, parts=2))
    library.write("docs/one.md", version(1, revision=0, parts=2))
    library.write("docs-old/two.md", version(2, revision=0, parts=2))
    (tmp_path / "outside").mkdir()
    model = Interrupted()
    watch = WatchSettings(settle_s=0.02, quiet_s=0.1, settle_max_s=0.5)
    with bootstrap(settings_of(tmp_path, watch=watch), model=model) as lockstep:
        runner = new_runner(lockstep)
        runner.start()
        try:
            assert runner.ready.wait(SOON_S)
            made = Watched(library, lockstep, runner, model, tmp_path / "outside")
            made.converges()
            yield made
        finally:
            runner.stop()


def pause(seconds: float) -> None:
    """What a slow writer does between two writes."""
    threading.Event().wait(seconds)


# --- F10: saving by rename, moves in and out


def test_a_save_by_a_temporary_file_is_a_change(watched: Watched) -> None:
    (watched.root / ".doc.md.tmp").write_text(watched.text(0, revision=1))
    (watched.root / ".doc.md.tmp").replace(watched.root / "doc.md")
    watched.put("doc.md", 0, revision=1)
    watched.converges()


def test_a_save_that_keeps_a_backup_is_a_change(watched: Watched) -> None:
    (watched.root / "doc.md").rename(watched.root / "doc.md~")
    (watched.root / "doc.md").write_text(watched.text(0, revision=1))
    watched.put("doc.md", 0, revision=1)
    watched.converges()


def test_a_document_renamed_to_another_kind_stays_and_to_a_backup_goes(watched: Watched) -> None:
    (watched.root / "notes.txt").write_text(watched.text(5))
    watched.put("notes.txt", 5)
    wait_until(lambda: len(watched.found(5)) > 0, SOON_S, "notes are found")
    (watched.root / "notes.txt").rename(watched.root / "notes.md")
    watched.library.topics["notes.md"] = watched.library.topics.pop("notes.txt")
    watched.converges()
    (watched.root / "notes.md").rename(watched.root / "notes.bak")
    del watched.library.topics["notes.md"]
    watched.converges()


def test_a_document_moved_out_goes_and_one_moved_in_comes(watched: Watched) -> None:
    (watched.root / "doc.md").rename(watched.outside / "doc.md")
    kept = watched.library.topics.pop("doc.md")
    watched.converges()
    inputs = watched.model.inputs
    (watched.outside / "doc.md").rename(watched.root / "docs" / "back.md")
    watched.library.topics["docs/back.md"] = kept
    watched.converges()
    assert _passages(watched, inputs) == 0


def _passages(watched: Watched, before: int) -> int:
    """Inputs embedded since, questions left out."""
    new = watched.model.inputs - before
    return sum("part" in text for text in list(watched.model.recent)[-new:]) if new else 0


# --- F11: folders


def test_a_folder_moved_in_is_read_whole_and_watched_from_then_on(watched: Watched) -> None:
    for topic in range(100, 150):
        path = watched.outside / "many" / f"level{topic % 5}" / f"deep{topic % 2}" / f"{topic}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(watched.text(topic, parts=1))
        key = path.relative_to(watched.outside).as_posix()
        watched.put(key, topic, parts=1)
    (watched.outside / "many").rename(watched.root / "many")
    watched.converges()
    gone = next(key for key in watched.library.topics if key.startswith("many/"))
    watched.library.delete(gone)
    watched.library.write(f"{Path(gone).parent}/new.md", version(160, revision=0, parts=1))
    watched.converges()


def test_a_file_written_into_folders_made_in_the_same_instant_is_found(watched: Watched) -> None:
    (watched.root / "a/b/c").mkdir(parents=True)
    (watched.root / "a/b/c/new.md").write_text(watched.text(6))
    watched.put("a/b/c/new.md", 6)
    watched.converges()


def test_a_renamed_folder_takes_its_documents_along_and_its_end_ends_them(watched: Watched) -> None:
    inputs = watched.model.inputs
    (watched.root / "docs").rename(watched.root / "papers")
    watched.library.topics["papers/one.md"] = watched.library.topics.pop("docs/one.md")
    watched.converges()
    assert _passages(watched, inputs) == 0
    watched.library.write("papers/one.md", version(1, revision=1, parts=2))
    watched.converges()
    shutil.rmtree(watched.root / "papers")
    del watched.library.topics["papers/one.md"]
    watched.converges()  # `docs-old` is no part of `docs`: its document stays


def test_a_folder_renamed_right_after_it_was_made_is_found_where_it_is(watched: Watched) -> None:
    (watched.root / "fresh").mkdir()
    (watched.root / "fresh/new.md").write_text(watched.text(7))
    (watched.root / "fresh").rename(watched.root / "ripe")
    watched.put("ripe/new.md", 7)
    watched.converges()


def test_a_root_that_is_deleted_and_made_again_is_watched_again(watched: Watched) -> None:
    shutil.rmtree(watched.root)
    watched.library.topics = {}
    watched.root.mkdir()
    watched.library.write_rules("")
    watched.library.write("again.md", version(8, revision=0))
    watched.converges()
    watched.library.write("again.md", version(8, revision=1))
    watched.converges()


def test_a_root_that_goes_away_for_a_while_loses_nothing(watched: Watched) -> None:
    """F15 while running: the scan that a lost watch causes holds nothing and deletes nothing."""
    watched.root.rename(watched.outside / "documents")
    wait_until(lambda: "mounted" in watched.problem, SOON_S, "the loss is noted")
    assert len(watched.keys()) == 3
    (watched.outside / "documents").rename(watched.root)
    watched.library.write("docs/late.md", version(9, revision=0))
    watched.converges()


def test_names_swapped_between_files_give_each_name_its_new_text(watched: Watched) -> None:
    one, two = watched.root / "docs/one.md", watched.root / "docs-old/two.md"
    one.rename(watched.root / "docs/.swap.tmp")
    two.rename(one)
    (watched.root / "docs/.swap.tmp").rename(two)
    topics = watched.library.topics
    topics["docs/one.md"], topics["docs-old/two.md"] = topics["docs-old/two.md"], topics["docs/one.md"]
    watched.converges()


def test_names_swapped_between_folders_swap_their_access_too(watched: Watched) -> None:
    """A restricted folder takes the name of a public one: nobody gets its texts by the policy of the other."""
    library = watched.library
    library.rules["docs"] = Rules(allow=set())
    library.write_rules("docs")
    watched.converges()
    shown = threading.Event()
    watching = threading.Thread(target=_watch_for, args=(watched, 1, shown, stop := threading.Event()))
    watching.start()
    try:
        (watched.root / "docs").rename(watched.root / "docs-tmp")
        (watched.root / "docs-old").rename(watched.root / "docs")
        (watched.root / "docs-tmp").rename(watched.root / "docs-old")
        library.rules = {"": library.rules[""], "docs-old": library.rules["docs"]}
        library.topics = {
            "doc.md": library.topics["doc.md"],
            "docs-old/one.md": library.topics["docs/one.md"],
            "docs/two.md": library.topics["docs-old/two.md"],
        }
        watched.converges()
    finally:
        stop.set()
        watching.join()
    assert not shown.is_set()


def _watch_for(watched: Watched, topic: int, shown: threading.Event, stop: threading.Event) -> None:
    while not stop.is_set():
        if watched.found(topic):
            shown.set()


# --- F12: half-written files, files that never rest


def test_a_file_written_slowly_is_found_whole_in_the_end(watched: Watched) -> None:
    lines = watched.text(0, revision=1, parts=6)
    third = len(lines) // 3
    with (watched.root / "doc.md").open("w") as file:  # truncated
        pause(0.3)
        for start in range(0, len(lines), third):
            file.write(lines[start : start + third])
            file.flush()
            pause(0.15)
    watched.put("doc.md", 0, revision=1, parts=6)
    watched.converges()


def test_a_file_that_never_rests_is_indexed_now_and_then(watched: Watched) -> None:
    path = watched.root / "log.md"
    parts: list[Part] = []
    stop = threading.Event()

    def write() -> None:
        with path.open("a") as file:
            file.write("# Log\n\n")
            while not stop.wait(0.02):
                parts.append(Part(11, len(parts) + 1, 0))
                file.write(parts[-1].text + "\n\n")
                file.flush()

    writing = threading.Thread(target=write)
    writing.start()
    try:
        wait_until(lambda: len(watched.found(11)) > 0, SOON_S, "a version of the log while it is written")
        assert writing.is_alive()
        some = watched.found(11)
        wait_until(lambda: watched.found(11) > some or len(watched.found(11)) >= 30, SOON_S, "a later version")
    finally:
        stop.set()
        writing.join()
    watched.library.topics["log.md"] = frozenset(parts)
    wait_until(lambda: len(watched.found(11)) == min(len(parts), 30), SOON_S, "the last version")


def test_a_thousand_rapid_saves_are_a_few_looks(watched: Watched) -> None:
    before = watched.epoch
    for revision in range(1, 1_001):
        (watched.root / "doc.md").write_text(watched.text(0, revision))
    watched.put("doc.md", 0, revision=1_000)
    watched.converges()
    assert watched.epoch - before < 50


def test_a_file_deleted_between_its_event_and_its_look_is_not_found(watched: Watched) -> None:
    new = watched.root / "short.md"
    deleted = threading.Event()

    def delete() -> None:
        if new.exists():
            new.unlink()
            deleted.set()

    with failpoints.at("look.before_read", delete):
        new.write_text(watched.text(12))
        assert deleted.wait(SOON_S)
    watched.converges()


def test_a_file_changed_while_it_is_embedded_is_found_as_it_is_now(watched: Watched) -> None:
    watched.model.next = lambda: watched.library.write("doc.md", version(0, revision=2, parts=2))
    watched.library.write("doc.md", version(0, revision=1, parts=2))
    wait_until(lambda: watched.found(0) == version(0, revision=2, parts=2), SOON_S, "the newer version")
    watched.converges()


# --- F13: hints lie


def test_hints_in_any_order_about_a_file_that_exists_change_nothing(watched: Watched) -> None:
    (source,) = watched.lockstep.sources
    before = watched.epoch
    for identity in (source.content.identity("doc.md"), None, None, None):
        watched.lockstep.acceptor.accept(source.id, [DocumentHint("doc.md", identity)])
    watched.converges()
    assert watched.epoch == before


@pytest.mark.parametrize("revision", [0, 1], ids=["the same bytes", "other bytes"])
def test_a_file_deleted_and_made_again_is_found(watched: Watched, revision: int) -> None:
    (watched.root / "doc.md").unlink()
    (watched.root / "doc.md").write_text(watched.text(0, revision))
    watched.put("doc.md", 0, revision)
    watched.converges()
    (watched.root / "doc.md").unlink()
    wait_until(lambda: not watched.found(0), SOON_S, "the deletion is noticed")
    (watched.root / "doc.md").write_text(watched.text(0, revision))
    watched.converges()


# --- F14: Unicode forms


def test_names_in_two_unicode_forms_are_two_documents(watched: Watched) -> None:
    composed, decomposed = (unicodedata.normalize(form, "résumé.md") for form in ("NFC", "NFD"))
    watched.library.write(composed, version(13, revision=0, parts=2))
    watched.library.write(decomposed, version(14, revision=0, parts=2))
    if not {composed, decomposed} <= set(os.listdir(watched.root)):
        pytest.fail("this file system takes the two forms for one name: the case needs ext4 or the like")
    watched.converges()
    watched.library.delete(composed)
    watched.converges()


# --- access and groups


def test_a_revocation_in_an_access_file_is_in_force_soon_and_a_group_change_too(watched: Watched) -> None:
    library = watched.library
    library.groups = {"staff": {"user:ann"}}
    library.write_groups()
    library.rules["docs"] = Rules(allow={"group:staff"})
    library.write_rules("docs")
    watched.converges()
    library.groups = {"staff": {"user:bob"}}
    library.write_groups()
    watched.converges()
    library.rules["docs"].documents["one.md"] = Rules(deny={"user:bob"}, allow={"public"})
    library.write_rules("docs")
    watched.converges()
