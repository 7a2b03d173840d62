"""What every source promises that can be looked at. Adapters inherit the class and give a tree that tests change."""

import threading

import pytest

from ingest.errors import SourceUnavailable
from ingest.model.source import Gone
from tests.contract.content_source_looks import LooksContract
from tests.contract.source_tree import SUPPORT, SourceTree, look, read


class ContentSourceContract(LooksContract):
    """Inherit, and give a fixture `tree` that is an empty root."""

    def test_a_document_is_read_whole(self, tree: SourceTree) -> None:
        tree.write("guides/refunds.md", "# Refunds\n\nWithin five days.\n")
        seen = read(tree, "guides/refunds.md")
        assert seen.text == "# Refunds\n\nWithin five days.\n"
        assert seen.media == "markdown"
        assert seen.closed is None
        assert seen.identity == tree.source.identity("guides/refunds.md")

    def test_an_empty_document_is_a_document(self, tree: SourceTree) -> None:
        tree.write("empty.md", "")
        assert not read(tree, "empty.md").text

    def test_what_is_not_there_is_gone(self, tree: SourceTree) -> None:
        tree.make_folder("guides")
        for key in ("a.md", "guides/a.md", "nowhere/a.md", "guides", "../a.md", "/a.md", "a\0.md", "guides//a.md", ""):
            assert isinstance(tree.source.document(key), Gone), key
        for key in ("nowhere", "guides/nowhere", "../guides", "/", "guides/.", "guides/.."):
            assert isinstance(tree.source.folder(key), Gone), key
            assert tree.source.identity(key) is None, key

    def test_a_removed_document_and_folder_are_gone(self, tree: SourceTree) -> None:
        tree.write("guides/a.md", "a")
        tree.remove("guides/a.md")
        assert isinstance(tree.source.document("guides/a.md"), Gone)
        tree.remove("guides")
        assert isinstance(tree.source.folder("guides"), Gone)

    def test_a_listing_names_everything_below_a_folder(self, tree: SourceTree) -> None:
        for key in ("top.md", "a/one.md", "a/b/two.md", "ab/three.md"):
            tree.write(key, "text")
        tree.make_folder("a/empty")
        tree.allow("a/b", SUPPORT)
        tree.allow("", SUPPORT)
        whole, part = tree.source.listing(), tree.source.listing("a")
        assert set(whole.documents) == {"top.md", "a/one.md", "a/b/two.md", "ab/three.md"}
        assert set(whole.folders) == {"", "a", "a/b", "a/empty", "ab"}
        assert set(whole.access_files) == {"", "a/b"}
        assert set(part.documents) == {"a/one.md", "a/b/two.md"}
        assert set(part.folders) == {"a", "a/b", "a/empty"}
        assert not whole.unlisted
        assert not part.unlisted

    def test_a_listing_gives_the_identities_that_looks_give(self, tree: SourceTree) -> None:
        tree.write("a/one.md", "text")
        tree.allow("a", SUPPORT)
        listing, folder = tree.source.listing(), look(tree, "a")
        assert listing.documents["a/one.md"] == read(tree, "a/one.md").identity
        assert listing.folders["a"] == folder.identity == tree.source.identity("a")
        assert listing.access_files["a"] == folder.access_file
        assert listing.folders[""] == look(tree, "").identity == tree.source.identity("")

    def test_an_empty_root_lists_as_empty_and_a_vanished_folder_as_nothing(self, tree: SourceTree) -> None:
        assert set(tree.source.listing().folders) == {""}
        gone = tree.source.listing("nowhere")
        assert not gone.folders
        assert not gone.unlisted

    def test_a_folder_that_cannot_be_listed_is_named_and_the_rest_is_listed(self, tree: SourceTree) -> None:
        for key in ("a/one.md", "a/below/two.md", "b/three.md"):
            tree.write(key, "text")
        tree.hide("a")
        listing = tree.source.listing()
        assert listing.unlisted == {"a"}
        assert set(listing.documents) == {"b/three.md"}
        assert "a" in listing.folders

    def test_a_missing_root_says_nothing(self, tree: SourceTree) -> None:
        tree.write("a/one.md", "text")
        tree.lose_root()
        for ask in (tree.source.document, tree.source.folder, tree.source.identity, tree.source.listing):
            for key in ("a/one.md", "a", "", "../x.md"):
                with pytest.raises(SourceUnavailable):
                    ask(key)
        tree.return_root()
        assert read(tree, "a/one.md").text == "text"

    def test_an_edit_changes_the_identity(self, tree: SourceTree) -> None:
        tree.write("a.md", "one")
        before = read(tree, "a.md").identity
        tree.write("a.md", "longer")
        assert read(tree, "a.md").identity != before

    def test_a_move_keeps_device_and_inode_of_document_and_folder(self, tree: SourceTree) -> None:
        tree.write("a/one.md", "text")
        document, folder = read(tree, "a/one.md").identity, look(tree, "a").identity
        tree.move("a", "z")
        tree.move("z/one.md", "z/two.md")
        moved, at = read(tree, "z/two.md").identity, look(tree, "z").identity
        assert (moved.device, moved.inode, moved.size) == (document.device, document.inode, document.size)
        assert (at.device, at.inode) == (folder.device, folder.inode)
        assert isinstance(tree.source.document("a/one.md"), Gone)

    def test_several_threads_may_look_at_once(self, tree: SourceTree) -> None:
        for number in range(20):
            tree.write(f"f{number % 3}/{number}.md", f"text {number}")
        wrong: list[str] = []

        def look_at_all() -> None:
            found = tree.source.listing().documents
            wrong.extend(key for key in found if read(tree, key).text != f"text {key.split('/')[1][:-3]}")
            if len(found) != 20:
                wrong.append("listing")

        threads = [threading.Thread(target=look_at_all) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)
        assert not wrong
