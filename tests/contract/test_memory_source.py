"""The source in memory keeps the contract."""

from collections.abc import Callable

import pytest

from ingest.adapters.memory.content_source import MemoryContentSource
from ingest.adapters.memory.directory import MemoryDirectory
from ingest.adapters.memory.faults import Fault
from ingest.errors import SourceUnavailable
from ingest.model.access import UNREADABLE, AccessRules, Policy, PolicyKind
from ingest.model.principal import Principal
from ingest.model.source import Membership
from tests.contract.content_source import ContentSourceContract


class MemoryTree:
    def __init__(self) -> None:
        self.source = MemoryContentSource()
        self.write = self.source.write
        self.make_folder = self.source.make_folder
        self.remove = self.source.remove
        self.move = self.source.move

    def allow(self, folder: str, *principals: Principal) -> None:
        self.source.set_access(folder, AccessRules(Policy(PolicyKind.STATED, frozenset(principals))))

    def break_access(self, folder: str) -> None:
        self.source.set_access(folder, AccessRules(UNREADABLE, problem="broken"))

    def remove_access(self, folder: str) -> None:
        self.source.set_access(folder, None)

    def hide(self, folder: str) -> None:
        self.source.unlistable.add(folder)

    def lose_root(self) -> None:
        self.source.missing = True

    def return_root(self) -> None:
        self.source.missing = False

    def while_reading(self, action: Callable[[], None]) -> None:
        def once(key: str) -> None:
            self.source.on_read = lambda _: None
            action()

        self.source.on_read = once


class TestMemory(ContentSourceContract):
    @pytest.fixture
    def tree(self) -> MemoryTree:
        return MemoryTree()


def test_what_is_made_anew_has_a_fresh_inode() -> None:
    source = MemoryContentSource()
    source.write("a.md", "text")
    before = source.identity("a.md")
    source.remove("a.md")
    source.write("a.md", "text")
    after = source.identity("a.md")
    assert before
    assert after
    assert before.inode != after.inode


def test_faults_come_at_the_call_they_were_queued_for() -> None:
    source = MemoryContentSource()
    source.write("a.md", "text")
    source.faults.fail_next("document", Fault(error=SourceUnavailable("away")))
    assert source.identity("a.md")
    with pytest.raises(SourceUnavailable):
        source.document("a.md")
    source.document("a.md")


def test_a_folder_does_not_move_into_itself() -> None:
    source = MemoryContentSource()
    source.write("a/b/c.md", "text")
    with pytest.raises(KeyError):
        source.move("a", "a/b/a")
    assert set(source.listing().documents) == {"a/b/c.md"}


def test_a_directory_gives_all_edges_or_fails() -> None:
    directory, group, ann = MemoryDirectory(), Principal("local:group:support"), Principal("local:user:ann")
    directory.add(group, ann, Principal("local:user:bob"))
    directory.remove(group, Principal("local:user:bob"))
    assert directory.memberships() == {Membership(ann, group)}
    directory.faults.fail_next("memberships", Fault(error=SourceUnavailable("away")))
    with pytest.raises(SourceUnavailable):
        directory.memberships()
