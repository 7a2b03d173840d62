"""A source that is not there, lists as empty or only in part, deletes nothing (F15)."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from ingest.bootstrap import bootstrap
from ingest.catalog import documents, sources
from ingest.errors import SourceUnavailable
from ingest.lockstep import Lockstep
from ingest.model.principal import parse_principal
from ingest.model.query import Question
from ingest.model.source import DocumentSeen, FileIdentity, FolderSeen, Gone, Listing
from ingest.ports import ContentSource
from ingest.settings import DirectorySource, IndexingSettings
from tests.integration.library import Library, Rules, name_of
from tests.integration.watched import differences, model_of, settings_of, version, wait_until
from worker.runner import Once, run_once

DOCUMENTS, FOLDERS = 100, 10


@dataclass
class Installed:
    """A library of 100 documents in 10 folders, indexed."""

    base: Path
    library: Library
    lockstep: Lockstep

    def run(self) -> Once:
        return run_once(self.lockstep)

    @property
    def live(self) -> int:
        """Documents that are not deleted."""
        with self.lockstep.database.read() as tx:
            return len(documents.of_source(tx, self.lockstep.sources[0].id))

    @property
    def problem(self) -> tuple[str | None, int]:
        """What is noted with the source: the problem, and the number held."""
        with self.lockstep.database.read() as tx:
            row = sources.get(tx, self.lockstep.sources[0].id)
        return row.problem, row.held_drop

    def differences(self) -> list[str]:
        """Between answers and files, for every seventh document."""
        return differences(self.lockstep, self.library, every=7)

    def approve(self) -> None:
        with self.lockstep.database.write() as tx:
            sources.approve_drop(tx, self.lockstep.sources[0].id)


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Installed]:
    library = Library(tmp_path / "documents", tmp_path / "groups.yaml", rules={"": Rules(allow={"public"})})
    library.write_rules("")
    library.write_groups()
    for topic in range(DOCUMENTS):
        library.write(f"folder{topic % FOLDERS}/topic{topic:03}.md", version(topic, revision=0, parts=1))
    settings = settings_of(tmp_path, indexing=IndexingSettings())
    with bootstrap(settings, model=model_of(tmp_path)) as lockstep:
        made = Installed(tmp_path, library, lockstep)
        assert (made.run().problems, made.live) == ([], DOCUMENTS)
        yield made


def test_a_root_that_is_missing_deletes_nothing_and_says_so(installed: Installed) -> None:
    root = installed.library.root
    root.rename(root.with_name("elsewhere"))
    once = installed.run()
    assert len(once.problems) == 1
    assert str(root) in once.problems[0]
    assert "mounted" in once.problems[0]
    assert installed.live == DOCUMENTS
    assert str(root) in (installed.problem[0] or "")
    root.with_name("elsewhere").rename(root)
    assert installed.run().problems == []
    assert installed.problem == (None, 0)
    assert (installed.live, installed.differences()) == (DOCUMENTS, [])


def test_a_root_that_lists_as_empty_deletes_nothing_until_that_is_approved(installed: Installed) -> None:
    root = installed.library.root
    root.rename(root.with_name("elsewhere"))
    root.mkdir()
    once = installed.run()
    assert [problem for problem in once.problems if f"{DOCUMENTS} of {DOCUMENTS}" in problem and "approve" in problem]
    assert installed.problem[1] == DOCUMENTS
    assert "approve" in (installed.problem[0] or "")
    assert installed.live == DOCUMENTS
    # recovery of the source deletes nothing
    root.rmdir()
    root.with_name("elsewhere").rename(root)
    assert installed.run().problems == []
    assert (installed.live, installed.differences()) == (DOCUMENTS, [])


def test_another_root_shows_nothing_of_what_the_one_before_held(installed: Installed) -> None:
    """A drop that is held is not shared with whoever the new root allows."""
    root = installed.library.root
    installed.library.rules[""] = Rules(allow={"user:ann"})
    installed.library.write_rules("")
    assert installed.run().problems == []
    root.rename(root.with_name("elsewhere"))
    root.mkdir()
    installed.library.rules[""] = Rules(allow={"public"})
    installed.library.write_rules("")
    assert "approve" in installed.run().problems[0]
    assert installed.live == DOCUMENTS
    shown = installed.lockstep.searcher.search(Question(name_of(1), frozenset({parse_principal("user:bob")})))
    assert (shown.hits, shown.pending > 0) == ((), True)


def test_a_large_drop_is_applied_once_it_is_approved(installed: Installed) -> None:
    for folder in range(5):
        shutil.rmtree(installed.library.root / f"folder{folder}")
    kept = [key for key in installed.library.topics if int(key[6]) >= 5]
    installed.library.topics = {key: installed.library.topics[key] for key in kept}
    assert "50 of 100" in installed.run().problems[0]
    assert installed.live == DOCUMENTS
    installed.approve()
    assert installed.run().problems == []
    assert (installed.live, installed.differences()) == (50, [])
    assert installed.lockstep.audit.run().clean


def test_additions_are_applied_while_a_drop_is_held(installed: Installed) -> None:
    for folder in range(5):
        shutil.rmtree(installed.library.root / f"folder{folder}")
    installed.library.write("folder9/topic190.md", version(190, revision=1))
    installed.library.write("new/topic191.md", version(191, revision=1))
    assert "approve" in installed.run().problems[0]
    for topic in (190, 191):
        caller = frozenset({parse_principal("user:ann")})
        hits = installed.lockstep.searcher.search(Question(name_of(topic), caller, limit=30)).hits
        assert sum(name_of(topic) in hit.text for hit in hits) == 3
    assert installed.live == DOCUMENTS + 2


def test_a_true_removal_of_two_files_is_applied(installed: Installed) -> None:
    for key in sorted(installed.library.topics)[:2]:
        installed.library.delete(key)
    assert installed.run().problems == []
    assert (installed.live, installed.differences()) == (DOCUMENTS - 2, [])


def test_folders_that_were_renamed_are_no_drop(installed: Installed) -> None:
    for folder in range(6):
        old, new = f"folder{folder}", f"archive/shelf{folder}"
        (installed.library.root / "archive").mkdir(exist_ok=True)
        (installed.library.root / old).rename(installed.library.root / new)
        for key in [key for key in installed.library.topics if key.startswith(f"{old}/")]:
            installed.library.topics[key.replace(old, new)] = installed.library.topics.pop(key)
    once = installed.run()
    assert (once.problems, once.drained.embedded) == ([], 0)
    assert (installed.live, installed.differences()) == (DOCUMENTS, [])


class PartlyUnlisted:
    """A source of which one folder gives permission denied, as the file system would to a user who is not root."""

    def __init__(self, inner: ContentSource, closed: str) -> None:
        self._inner = inner
        self._closed = closed

    def document(self, key: str) -> DocumentSeen | Gone:
        self._check(key)
        return self._inner.document(key)

    def folder(self, key: str) -> FolderSeen | Gone:
        self._check(key)
        return self._inner.folder(key)

    def identity(self, key: str) -> FileIdentity | None:
        return None if key.startswith(f"{self._closed}/") else self._inner.identity(key)

    def listing(self, under: str = "") -> Listing:
        found = self._inner.listing(under)
        inside = f"{self._closed}/"
        return Listing(
            found.folders,
            {key: of for key, of in found.documents.items() if not key.startswith(inside)},
            {key: of for key, of in found.access_files.items() if f"{key}/" != inside},
            frozenset({self._closed}),
            (f"the folder {self._closed} could not be listed: Permission denied",),
        )

    def _check(self, key: str) -> None:
        if f"{key}/".startswith(f"{self._closed}/"):
            raise SourceUnavailable(f"{key}: Permission denied; may this user read it, and is the disk well?")


def with_source(lockstep: Lockstep, change: Callable[[ContentSource], ContentSource]) -> Lockstep:
    (source,) = lockstep.sources
    return replace(lockstep, sources=(replace(source, content=change(source.content)),))


def test_a_folder_that_cannot_be_listed_loses_nothing_and_the_others_go_on(installed: Installed) -> None:
    installed.lockstep = with_source(installed.lockstep, lambda source: PartlyUnlisted(source, "folder3"))
    installed.library.write("folder4/topic004.md", version(4, revision=1, parts=1))
    once = installed.run()
    assert once.problems == ["the folder folder3 could not be listed: Permission denied"]
    assert (installed.live, installed.differences()) == (DOCUMENTS, [])


def test_a_folder_that_never_could_be_read_keeps_nobody_from_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A `lost+found`, say: what is below it stays closed, and the source is served."""
    library = Library(tmp_path / "documents", tmp_path / "groups.yaml", rules={"": Rules(allow={"public"})})
    library.write_rules("")
    library.write_groups()
    library.write("open/topic000.md", version(0, revision=0))
    library.write("closed/topic001.md", version(1, revision=0))
    del library.topics["closed/topic001.md"]
    monkeypatch.setattr("worker.runner.PATIENCE_S", 0.5)
    with bootstrap(settings_of(tmp_path), model=model_of(tmp_path)) as opened:
        lockstep = with_source(opened, lambda source: PartlyUnlisted(source, "closed"))
        once = run_once(lockstep)
        assert "the folder closed could not be listed: Permission denied" in once.problems
        assert differences(lockstep, library) == []


def test_a_source_that_was_not_scanned_for_too_long_is_read_by_nobody_until_it_is(tmp_path: Path) -> None:
    library = Library(tmp_path / "documents", tmp_path / "groups.yaml", rules={"": Rules(allow={"public"})})
    library.write_rules("")
    library.write_groups()
    library.write("topic000.md", version(0, revision=0))
    source = DirectorySource(path=library.root, max_age_s=0.3)
    with bootstrap(settings_of(tmp_path, sources={"library": source}), model=model_of(tmp_path)) as lockstep:
        run_once(lockstep)
        library.root.rename(tmp_path / "elsewhere")
        # a scan that fails does not make what is known any younger
        for _ in range(3):
            assert run_once(lockstep).problems
        with lockstep.database.write() as tx:
            row = sources.get(tx, lockstep.sources[0].id)
        assert row.problem is not None
        question = Question(name_of(0), frozenset({parse_principal("user:ann")}))
        wait_until(lambda: lockstep.searcher.search(question).hits == (), 5, "nobody reads what is too old")
        (tmp_path / "elsewhere").rename(library.root)
        assert run_once(lockstep).problems == []
        assert differences(lockstep, library) == []
