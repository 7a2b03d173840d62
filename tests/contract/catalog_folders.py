"""Folders' chains, moves and their tombstones, and the fan-out of an access change."""

from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from ingest.catalog import access_work, documents, folders, policies, principals, sources
from ingest.catalog.tables import access_clock as clock_table
from ingest.catalog.tables import access_work as work_table
from ingest.catalog.tables import documents as documents_table
from ingest.catalog.tables import folders as folders_table
from ingest.catalog.tables import indexing as indexing_table
from ingest.catalog.tables import membership_tombstones, memberships, tombstones
from ingest.catalog.tables import policy_entries as entries_table
from ingest.catalog.tables import sources as sources_table
from ingest.model.access import UNREADABLE, PolicyKind
from ingest.model.principal import PUBLIC
from ingest.model.source import FileIdentity, Membership
from tests.contract.catalog_rows import ANN, BOB, LEADS, STAFF, Catalog, stated

_FILE = FileIdentity(device=1, inode=10, size=100, mtime_ns=1_000)


class FolderCases:
    """folders, documents' places, access_work, principals, sources."""

    # chains

    def test_a_chain_is_the_folder_and_those_above_it(self, catalog: Catalog) -> None:
        a = catalog.folder(catalog.root, "a", metadata={"category": "far", "language": "en"})
        b = catalog.folder(a, "b", metadata={"category": "near"})
        with catalog.read() as tx:
            chains = folders.chains(tx, [b, catalog.root])
        assert [link.id for link in chains[b].links] == [b, a, catalog.root]
        assert (chains[b].key, chains[catalog.root].key) == ("a/b", "")
        assert chains[b].metadata == {"category": "near", "language": "en"}
        assert chains[b].sound
        assert chains[b].alive

    @pytest.mark.parametrize(("steps", "sound"), [(63, True), (64, True), (65, False), (70, False)])
    def test_a_chain_reaches_a_root_within_64_steps_or_never(self, catalog: Catalog, steps: int, sound: bool) -> None:
        leaf = catalog.chain(steps)
        with catalog.read() as tx:
            chain = folders.chains(tx, [leaf])[leaf]
        assert (chain.sound, chain.alive) == (sound, sound)
        assert len(chain.links) == min(steps + 1, 65)

    def test_folders_in_a_circle_end_nowhere(self, catalog: Catalog) -> None:
        a = catalog.folder(catalog.root, "a")
        b = catalog.folder(a, "b")
        catalog.set(folders_table, folders_table.c.id == a, parent_id=b)
        with catalog.read() as tx:
            assert not folders.chains(tx, [b])[b].alive
            assert folders.subtree(tx, a) == sorted([a, b])

    def test_a_chain_through_a_deleted_or_unreadable_folder_is_not_sound(self, catalog: Catalog) -> None:
        deleted = catalog.folder(catalog.folder(catalog.root, "a", deleted_at=1.0), "b")
        unreadable = catalog.folder(catalog.folder(catalog.root, "c", UNREADABLE), "d")
        with catalog.read() as tx:
            chains = folders.chains(tx, [deleted, unreadable])
        assert not chains[deleted].sound
        assert not chains[deleted].alive
        assert not chains[unreadable].sound
        assert chains[unreadable].alive

    def test_folders_are_found_and_made_by_key(self, catalog: Catalog) -> None:
        with catalog.write() as tx:
            made = folders.ensure(tx, catalog.source, ["a/b", "a/c"], born=PolicyKind.UNREADABLE)
            assert made[""] == catalog.root
            assert folders.ensure(tx, catalog.source, ["a/c"], born=PolicyKind.UNREADABLE)["a/c"] == made["a/c"]
            assert folders.find_all(tx, catalog.source, ["a/b", "x", "x/y"]) == {k: made[k] for k in ("", "a", "a/b")}
            assert folders.find(tx, catalog.source, "a/none") is None
            assert folders.subtree(tx, made["a"]) == sorted(made[key] for key in ("a", "a/b", "a/c"))

    def test_a_deleted_folders_name_is_free_again(self, catalog: Catalog) -> None:
        with catalog.write() as tx:
            before = folders.ensure(tx, catalog.source, ["a/b"], born=PolicyKind.INHERIT)
            assert folders.delete(tx, before["a"]) == sorted([before["a"], before["a/b"]])
            assert folders.find(tx, catalog.source, "a/b") is None
            after = folders.ensure(tx, catalog.source, ["a/b"], born=PolicyKind.INHERIT)
        assert after["a"] != before["a"]
        assert after["a/b"] != before["a/b"]

    def test_two_live_things_never_share_a_place(self, catalog: Catalog) -> None:
        catalog.folder(catalog.root, "a")
        catalog.document("a.md", deleted_at=1.0)
        catalog.document("a.md")
        with pytest.raises(IntegrityError):
            catalog.folder(catalog.root, "a")
        with pytest.raises(IntegrityError):
            catalog.folder(None, "")
        with pytest.raises(IntegrityError):
            catalog.document("a.md")

    def test_documents_of_deleted_folders_follow_in_pages(self, catalog: Catalog) -> None:
        folder = catalog.folder(catalog.root, "a")
        below = [catalog.document(f"{n}.md", folder=folder) for n in range(3)]
        catalog.document("other.md")
        pages = []
        with catalog.write() as tx:
            folders.delete(tx, folder)
            while page := documents.in_deleted_folders(tx, 2):
                pages.append(page)
                for document in page:
                    documents.end(tx, document)
        assert pages == [below[:2], below[2:]]

    # moves

    def test_a_moved_document_is_hidden_and_leaves_a_tombstone(self, catalog: Catalog) -> None:
        there = catalog.folder(catalog.root, "there")
        document = catalog.document("a.md", stated(ANN))
        record = catalog.record(document)
        assert catalog.seen(ANN, record) == [record]
        self.move(catalog, document, old_key="a.md", folder=there, name="b.md")
        assert catalog.seen(ANN, record) == []
        stone = catalog.row(tombstones, source_id=catalog.source, old_key="a.md")
        assert stone is not None
        assert stone.document_id == document
        with catalog.write() as tx:
            assert documents.keys(tx, [document]) == {document: "there/b.md"}
            assert documents.find(tx, catalog.root, "a.md") is None
            # a look that began before the move stores nothing, and the next one is due
            assert not documents.changed(tx, document, revision=0, token=0)
            assert [row.id for row in documents.claim_looks(tx, 9, 60.0)] == [document]

    def test_a_tombstone_names_the_last_that_left(self, catalog: Catalog) -> None:
        first = catalog.document("a.md")
        self.move(catalog, first, old_key="a.md", folder=catalog.root, name="b.md")
        second = catalog.document("a.md")
        self.move(catalog, second, old_key="a.md", folder=catalog.root, name="c.md")
        self.move(catalog, first, old_key="b.md", folder=catalog.root, name="d.md")
        stones = {row.old_key: row.document_id for row in catalog.rows(tombstones)}
        assert stones == {"a.md": second, "b.md": first}

    def move(self, catalog: Catalog, document: int, *, old_key: str, folder: int, name: str) -> None:
        """Rename a document."""
        with catalog.write() as tx:
            documents.rename(tx, document, source_id=catalog.source, old_key=old_key, folder_id=folder, name=name)

    def test_a_moved_folder_takes_an_unseen_ones_place_and_hides_what_is_below(self, catalog: Catalog) -> None:
        old = catalog.folder(catalog.root, "old", stated(ANN), looked_at=1.0, look_leased=True)
        record = catalog.readable("a.md", folder=old)
        with catalog.write() as tx:
            unseen = folders.ensure(tx, catalog.source, ["x/new"], born=PolicyKind.UNREADABLE)["x/new"]
            folders.replace(tx, old, placeholder=unseen)
            assert folders.find(tx, catalog.source, "x/new") == old
            assert folders.find(tx, catalog.source, "old") is None
            # the look that was under way neither stores nor ends the new one
            assert not folders.changed(tx, old, 0)
            folders.release_look(tx, old, 0, again_in_s=None)
            assert old in {folder for folder, _ in folders.claim_looks(tx, 9, 60.0)}
        assert catalog.seen(ANN, record) == []

    def test_a_file_is_recognised_by_what_was_seen_of_it(self, catalog: Catalog) -> None:
        file: dict[str, Any] = {"device": _FILE.device, "inode": _FILE.inode, "size": _FILE.size}
        known = catalog.document("known.md", **file)
        hinted = catalog.document("hinted.md", content_version=0, **file)
        catalog.document("dead.md", deleted_at=1.0, **file)
        catalog.document("other-size.md", **file | {"size": 7})
        with catalog.write() as tx:
            assert documents.with_inode(tx, catalog.source, _FILE, hinted, seen=True) == [known]
            assert documents.with_inode(tx, catalog.source, _FILE, known, seen=False) == [hinted]
            assert documents.with_inode(tx, catalog.source, _FILE, known, seen=True) == []
            assert not documents.drop_placeholder(tx, known)

    def test_a_folder_is_recognised_only_when_it_is_the_only_one(self, catalog: Catalog) -> None:
        seen = catalog.folder(catalog.root, "seen", looked_at=1.0, device=1, inode=10)
        unseen = catalog.folder(catalog.root, "unseen")
        with catalog.write() as tx:
            folders.remember_inode(tx, unseen, 1, 10)
            # what was looked at keeps what was seen
            folders.remember_inode(tx, seen, 9, 99)
            assert folders.with_inode(tx, catalog.source, 1, 10, unseen, seen=True) == seen
            assert folders.with_inode(tx, catalog.source, 1, 10, seen, seen=False) == unseen
        catalog.folder(catalog.root, "twin", looked_at=1.0, device=1, inode=10)
        with catalog.read() as tx:
            assert folders.with_inode(tx, catalog.source, 1, 10, unseen, seen=True) is None

    # fan-out

    def test_an_access_change_is_expanded_once_and_paged(self, catalog: Catalog) -> None:
        building = catalog.new_generation("building")
        catalog.new_generation("retired")
        a = catalog.folder(catalog.root, "a")
        b = catalog.folder(a, "b")
        catalog.folder(a, "dead", deleted_at=1.0)
        in_a = [catalog.document(f"{n}.md", folder=a) for n in range(5)]
        in_b = [catalog.document("b.md", folder=b)]
        catalog.document("elsewhere.md")
        catalog.document("deleted.md", folder=a, deleted_at=1.0)
        not_indexed = catalog.document("not-indexed.md", folder=a)
        in_flight = in_a[1]
        for document in (*in_a, *in_b):
            catalog.set_indexing(document, published_version=1)
        catalog.set_indexing(in_a[0], carried_access="0" * 32)
        catalog.set_indexing(in_flight, published_version=0, leased=True)
        catalog.document("never-begun.md", folder=a)
        with catalog.write() as tx:
            tx.execute(indexing_table.delete().where(indexing_table.c.document_id == not_indexed))
            access_work.leave(tx, a)
            assert [access_work.left(tx, g) for g in (catalog.generation, building)] == [1, 1]
        with catalog.write() as tx:
            work = access_work.next_work(tx, catalog.generation)
            assert work is not None
            assert not work.expanded
            access_work.expand(tx, work)
        pages = []
        while True:
            with catalog.write() as tx:
                work = access_work.next_work(tx, catalog.generation)
                if work is None:
                    break
                assert work.expanded
                page = access_work.page(tx, work, 2)
                if page:
                    pages.append(page)
                    access_work.proceed(tx, work, page[-1][0])
                else:
                    access_work.finish(tx, work)
        paged = [document for page in pages for document, _ in page]
        assert sorted(paged) == sorted(in_a + in_b)
        assert max(len(page) for page in pages) == 2
        assert dict(pair for page in pages for pair in page)[in_a[0]] == "0" * 32
        # the other generation's work is untouched
        assert [row.generation_id for row in catalog.rows(work_table)] == [building]

    # policies and principals

    def test_a_policy_is_read_as_it_was_written(self, catalog: Catalog) -> None:
        first, second = stated(ANN, PUBLIC, deny=[BOB]), stated(STAFF)
        document = catalog.document("a.md", first)
        catalog.document("b.md", second)
        with catalog.write() as tx:
            assert policies.policy_of(tx, "d", document) == first
            policies.write_entries(tx, "d", document, second)
            assert policies.policy_of(tx, "d", document) == second
            assert policies.entries_of(tx, "f", [document]) == {}
        assert all(row.kind == "d" for row in catalog.rows(entries_table))

    def test_every_edge_change_is_stamped(self, catalog: Catalog) -> None:
        edge, other = Membership(ANN, STAFF), Membership(BOB, STAFF)
        with catalog.write() as tx:
            assert principals.add_edges(tx, [edge, other]) == 2
            assert principals.edges(tx, "local") == {edge, other}
            assert principals.members(tx) == {STAFF: 2}
        with catalog.write() as tx:
            assert principals.remove_edges(tx, [edge, Membership(ANN, LEADS)]) == 1
        assert [row.granted_at for row in catalog.rows(memberships)] == [1]
        assert [row.removed_at for row in catalog.rows(membership_tombstones)] == [2]
        with catalog.write() as tx:
            principals.add_edges(tx, [edge])
            principals.remove_edges(tx, [edge])
        assert [row.removed_at for row in catalog.rows(membership_tombstones)] == [4]

    def test_a_closure_knows_nested_groups_and_circles_and_its_limit(self, catalog: Catalog) -> None:
        for member, group in ((ANN, STAFF), (STAFF, LEADS), (LEADS, STAFF)):
            catalog.member(member, group)
        with catalog.read() as tx:
            assert principals.closure(tx, [ANN, PUBLIC], 10) == {ANN, PUBLIC, STAFF, LEADS}
            assert principals.closure(tx, [BOB], 10) == {BOB}
            assert len(principals.closure(tx, [ANN], 1)) == 2

    # sources

    def test_a_complete_scan_makes_a_source_readable_and_stamps_its_root(self, catalog: Catalog) -> None:
        catalog.set(sources_table, sources_table.c.id == catalog.source, state="unsynced", problem="none yet")
        stamps = []
        for max_age_s in (None, None, 100.0, 100.0):
            catalog.set(sources_table, sources_table.c.id == catalog.source, max_age_s=max_age_s)
            with catalog.write() as tx:
                sources.mark_synced(tx, catalog.source)
            stamps.append(self.stamp(catalog))
            catalog.pass_time(60)
        # fresh ones are not stamped again
        assert stamps == [1, 1, 1, 1]
        catalog.pass_time(60)
        with catalog.write() as tx:
            sources.mark_synced(tx, catalog.source)
        assert self.stamp(catalog) == 2
        clock = catalog.row(clock_table, id=1)
        assert clock is not None
        assert clock.value == 2

    def stamp(self, catalog: Catalog) -> int:
        """The stamp of the source's root."""
        row = catalog.row(folders_table, id=catalog.root)
        assert row is not None
        return int(row.opened_at)

    def test_a_restored_catalog_is_trusted_nowhere_and_a_removed_source_never(self, catalog: Catalog) -> None:
        with catalog.write() as tx:
            removed = sources.ensure(tx, "old", "files", max_age_s=None)
            sources.remove(tx, removed)
            sources.unsync(tx)
            assert {row.name: row.state for row in sources.every(tx)} == {"files": "unsynced", "old": "removed"}
            assert sources.live_documents(tx, catalog.source) == 0

    def test_pages_of_a_folder_go_by_id(self, catalog: Catalog) -> None:
        made = [catalog.document(f"{9 - n}.md") for n in range(5)]
        catalog.document("dead.md", deleted_at=1.0)
        with catalog.write() as tx:
            first = documents.in_folders(tx, [catalog.root], limit=3)
            rest = documents.in_folders(tx, [catalog.root], after=first[-1].id, limit=3)
            assert [row.id for row in first + rest] == made
            assert [row.id for row in documents.named(tx, catalog.root, ["9.md", "dead.md", "7.md"])] == made[::2][:2]
            assert documents.make_due_below(tx, [catalog.root]) == 5
            assert len(documents.of_source(tx, catalog.source)) == 5
        assert catalog.row(documents_table, name="dead.md") is not None
