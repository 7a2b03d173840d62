"""What a look at a source promises: access files, and things that change while they are read."""

import pytest

from ingest.errors import SourceUnsettled
from ingest.model.access import Policy, PolicyKind
from ingest.model.source import Gone
from tests.contract.source_tree import SUPPORT, SourceTree, look, read


class LooksContract:
    """Part of `ContentSourceContract`."""

    def test_a_document_changed_while_it_is_read_is_unsettled(self, tree: SourceTree) -> None:
        tree.write("a.md", "one")
        tree.while_reading(lambda: tree.write("a.md", "longer"))
        with pytest.raises(SourceUnsettled):
            tree.source.document("a.md")
        assert read(tree, "a.md").text == "longer"

    def test_a_document_replaced_while_it_is_read_is_unsettled(self, tree: SourceTree) -> None:
        tree.write("a.md", "one")
        tree.write("new.md", "two")
        tree.while_reading(lambda: tree.move("new.md", "a.md"))
        with pytest.raises(SourceUnsettled):
            tree.source.document("a.md")
        assert read(tree, "a.md").text == "two"

    def test_a_document_removed_while_it_is_read_is_unsettled_and_then_gone(self, tree: SourceTree) -> None:
        tree.write("a.md", "one")
        tree.while_reading(lambda: tree.remove("a.md"))
        with pytest.raises(SourceUnsettled):
            tree.source.document("a.md")
        assert isinstance(tree.source.document("a.md"), Gone)

    def test_a_document_whose_folder_moves_while_it_is_read_is_what_was_opened(self, tree: SourceTree) -> None:
        tree.write("a/one.md", "text")
        tree.while_reading(lambda: tree.move("a", "z"))
        assert read(tree, "a/one.md").text == "text"
        assert isinstance(tree.source.document("a/one.md"), Gone)

    def test_a_folder_without_access_file_inherits(self, tree: SourceTree) -> None:
        tree.make_folder("a")
        seen = look(tree, "a")
        assert seen.rules.policy == Policy()
        assert not seen.has_access_file

    def test_an_access_file_states_a_policy(self, tree: SourceTree) -> None:
        tree.allow("a", SUPPORT)
        assert look(tree, "a").rules.policy == Policy(PolicyKind.STATED, frozenset({SUPPORT}))
        tree.allow("a")
        assert look(tree, "a").rules.policy == Policy(PolicyKind.STATED)
        tree.remove_access("a")
        assert not look(tree, "a").has_access_file

    def test_an_access_file_that_cannot_be_understood_is_unreadable_and_says_why(self, tree: SourceTree) -> None:
        tree.break_access("a")
        seen = look(tree, "a")
        assert seen.rules.policy.kind is PolicyKind.UNREADABLE
        assert seen.rules.problem
        assert "\n" not in seen.rules.problem
        assert seen.has_access_file

    def test_an_access_file_changed_while_it_is_read_is_unsettled(self, tree: SourceTree) -> None:
        tree.allow("a", SUPPORT)
        tree.while_reading(lambda: tree.allow("a"))
        with pytest.raises(SourceUnsettled):
            tree.source.folder("a")
        assert look(tree, "a").rules.policy == Policy(PolicyKind.STATED)
