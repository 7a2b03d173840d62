"""Accepted events, what waits in the inbox, and since when a document's text counts as out of date."""

import pytest
from sqlalchemy import select

from ingest.adapters.doorbell import ThreadDoorbell
from ingest.catalog import access_clock, documents, folders, inbox, indexing
from ingest.catalog.database import AnyRow, db_now
from ingest.catalog.tables import contents as contents_table
from ingest.catalog.tables import documents as documents_table
from ingest.catalog.tables import folders as folders_table
from ingest.catalog.tables import inbox as inbox_table
from ingest.catalog.tables import indexing as indexing_table
from ingest.catalog.tables import sources as sources_table
from ingest.errors import Refused
from ingest.indexing.accept import Acceptor
from ingest.model.event import DocumentDeleted, DocumentHint, Event, FolderHint
from tests.contract.catalog_rows import Catalog


class ChangeCases:
    """accept, inbox, `behind_at`, the access clock."""

    def accept(self, catalog: Catalog, event: Event, event_id: str = "e1") -> int:
        """Accept one event."""
        return Acceptor(catalog.database, ThreadDoorbell()).accept(catalog.source, [event], [event_id])

    # accept

    def test_an_event_is_noted_once(self, catalog: Catalog) -> None:
        assert self.accept(catalog, DocumentHint("a.md")) == 1
        before = self.everything(catalog)
        assert self.accept(catalog, DocumentHint("a.md")) == 0
        assert self.everything(catalog) == before

    def test_an_event_that_comes_again_after_its_look_marks_nothing(self, catalog: Catalog) -> None:
        """P7: nothing would ever empty `behind_at` again."""
        document = catalog.document("a.md")
        self.accept(catalog, DocumentHint("a.md"))
        with catalog.write() as tx:
            inbox.lease(tx, document, 1)
            inbox.complete(tx, document, 1, version=1, outcome="same")
            indexing.set_behind(tx, catalog.generation, document, None)
        assert self.accept(catalog, DocumentHint("a.md")) == 0
        assert catalog.indexing(document).behind_at is None

    @pytest.mark.parametrize("other", [DocumentHint("b.md"), DocumentDeleted("a.md"), FolderHint("a.md")])
    def test_a_known_id_with_another_body_is_refused(self, catalog: Catalog, other: Event) -> None:
        self.accept(catalog, DocumentHint("a.md"))
        before = self.everything(catalog)
        with pytest.raises(Refused, match="event e1 was sent before with another body"):
            self.accept(catalog, other)
        assert self.everything(catalog) == before

    def test_a_batch_with_one_refused_event_notes_none(self, catalog: Catalog) -> None:
        self.accept(catalog, DocumentHint("a.md"))
        acceptor = Acceptor(catalog.database, ThreadDoorbell())
        with pytest.raises(Refused):
            acceptor.accept(catalog.source, [DocumentHint("new.md"), DocumentHint("b.md")], ["e2", "e1"])
        assert [row.event_id for row in catalog.rows(inbox_table)] == ["e1"]
        assert catalog.row(documents_table, name="new.md") is None

    def test_the_same_id_of_another_source_is_another_event(self, catalog: Catalog) -> None:
        with catalog.write() as tx:
            other = tx.execute(sources_table.insert().values(name="other", kind="files")).inserted_primary_key
        assert other is not None
        self.accept(catalog, DocumentHint("a.md"))
        acceptor = Acceptor(catalog.database, ThreadDoorbell())
        assert acceptor.accept(other[0], [DocumentHint("b.md")], ["e1"]) == 1

    def test_an_event_for_something_unknown_makes_it_readable_by_nobody(self, catalog: Catalog) -> None:
        self.accept(catalog, DocumentHint("x/y/a.md"))
        document = self.row(catalog, "a.md")
        assert (document.policy, document.content_version) == ("unreadable", 0)
        made = [row for row in catalog.rows(folders_table) if row.id != catalog.root]
        assert {row.name: row.policy for row in made} == {"x": "unreadable", "y": "unreadable"}
        assert all(row.look_ready_at is not None for row in made)
        assert document.folder_id == next(row.id for row in made if row.name == "y")

    def test_folders_of_a_source_that_only_pushes_are_born_to_inherit(self, catalog: Catalog) -> None:
        catalog.set(sources_table, sources_table.c.id == catalog.source, can_look=False)
        self.accept(catalog, DocumentHint("x/a.md"))
        row = catalog.row(folders_table, name="x")
        assert row is not None
        assert row.policy == "inherit"

    def test_a_hint_makes_a_document_due_and_hides_nothing(self, catalog: Catalog) -> None:
        document = catalog.document("a.md")
        self.accept(catalog, DocumentHint("a.md"))
        row = self.row(catalog, "a.md")
        assert (row.hidden, row.deleted_at, row.policy) == (False, None, "inherit")
        with catalog.write() as tx:
            assert [due.id for due in documents.claim_looks(tx, 9, 60.0)] == [document]

    def test_a_hint_for_a_folder_refuses_the_look_under_way(self, catalog: Catalog) -> None:
        self.accept(catalog, FolderHint(""))
        row = catalog.row(folders_table, id=catalog.root)
        assert row is not None
        assert (row.revision, row.look_ready_at is None) == (1, False)
        assert self.accept(catalog, FolderHint("")) == 0
        assert catalog.row(folders_table, id=catalog.root) == row

    def test_an_explicit_delete_is_in_force_at_once(self, catalog: Catalog) -> None:
        building = catalog.new_generation("building")
        retired = catalog.new_generation("retired")
        document = catalog.document("a.md", content_version=3)
        with catalog.write() as tx:
            body = {"hash": "h", "body": b"", "media": "plain", "title": "", "link": "", "encoding": "utf-8"}
            values = {"document_id": document, "version": 3, "own_metadata": {}, "metadata": {}}
            tx.execute(contents_table.insert().values(body | values))
        record = catalog.record(document)
        self.accept(catalog, DocumentHint("a.md"), "before")
        self.accept(catalog, DocumentDeleted("a.md"))
        row = catalog.row(documents_table, id=document)
        assert row is not None
        assert row.deleted_at is not None
        assert (row.content_version, row.look_ready_at) == (4, None)
        assert catalog.rows(contents_table) == []
        assert catalog.decide([], [record]).verdicts == ()
        # the ordinary path closes every record, in each maintained generation
        rows = catalog.rows(indexing_table, document_id=document)
        assert {row.generation_id: row.wanted_version for row in rows} == {catalog.generation: 4, building: 4}
        assert retired not in {row.generation_id for row in rows}
        assert {row.event_id: row.outcome for row in catalog.rows(inbox_table)} == {
            "before": "deleted",
            "e1": "deleted",
        }

    def test_a_removed_source_takes_nothing_in(self, catalog: Catalog) -> None:
        catalog.set(sources_table, sources_table.c.id == catalog.source, state="removed")
        assert self.accept(catalog, DocumentHint("a.md")) == 0
        assert catalog.rows(inbox_table) == []

    # inbox

    def test_a_look_completes_what_it_leased_and_nothing_later(self, catalog: Catalog) -> None:
        document = catalog.document("a.md")
        self.accept(catalog, DocumentHint("a.md"), "e1")
        self.accept(catalog, DocumentHint("a.md"), "e2")
        with catalog.write() as tx:
            inbox.lease(tx, document, 7)
        self.accept(catalog, DocumentHint("a.md"), "later")
        with catalog.write() as tx:
            inbox.complete(tx, document, 7, version=2, outcome="changed")
            assert inbox.waits(tx, document)
        done = {row.event_id: (row.version, row.outcome) for row in catalog.rows(inbox_table)}
        assert done == {"e1": (2, "changed"), "e2": (2, "changed"), "later": (None, None)}

    def test_a_look_that_lost_its_lease_completes_nothing(self, catalog: Catalog) -> None:
        document = catalog.document("a.md")
        self.accept(catalog, DocumentHint("a.md"))
        with catalog.write() as tx:
            inbox.lease(tx, document, 7)
            inbox.lease(tx, document, 8)
            inbox.complete(tx, document, 7, version=2, outcome="changed")
            assert inbox.waits(tx, document)

    def test_a_folders_look_completes_what_it_leased(self, catalog: Catalog) -> None:
        self.accept(catalog, FolderHint(""), "e1")
        with catalog.write() as tx:
            inbox.lease_folder(tx, catalog.root, 7)
        self.accept(catalog, FolderHint(""), "later")
        with catalog.write() as tx:
            inbox.complete_folder(tx, catalog.root, 7, outcome="same")
            assert inbox.folder_waits(tx, catalog.root)
        assert [row.event_id for row in catalog.rows(inbox_table, outcome=None)] == ["later"]

    def test_events_of_what_ended_end(self, catalog: Catalog) -> None:
        below = catalog.folder(catalog.root, "below")
        document = catalog.document("a.md", folder=below)
        self.accept(catalog, DocumentHint("below/a.md"), "e1")
        self.accept(catalog, FolderHint("below"), "e2")
        self.accept(catalog, DocumentHint("other.md"), "e3")
        with catalog.write() as tx:
            inbox.end_folders(tx, [below], outcome="gone")
            inbox.end_all(tx, document, version=2, outcome="gone")
            assert inbox.oldest_waiting(tx) is not None
        assert [row.event_id for row in catalog.rows(inbox_table, done_at=None)] == ["e3"]

    @pytest.mark.parametrize("news", ["told of the folder", "told of a document", "a document looked at", "none"])
    def test_news_below_a_folder_are_known(self, catalog: Catalog, news: str) -> None:
        below = catalog.folder(catalog.root, "below")
        document = catalog.document("a.md", folder=below)
        self.accept(catalog, DocumentHint("below/a.md"), "before")
        catalog.pass_time(60)
        with catalog.write() as tx:
            now = tx.execute(select(db_now())).scalar_one()
            # nothing of the folder itself, whose own look asks
            folders.changed(tx, catalog.root, 0, looked_at=db_now())
        if news == "told of the folder":
            self.accept(catalog, FolderHint("below"))
        elif news == "told of a document":
            self.accept(catalog, DocumentHint("below/a.md"))
        elif news == "a document looked at":
            with catalog.write() as tx:
                assert documents.changed(tx, document, revision=0, token=0)
        else:
            self.accept(catalog, DocumentHint("beside.md"))
        with catalog.read() as tx:
            assert inbox.news_below(tx, [below], now) is (news != "none")
            assert inbox.news_below(tx, [below], now - 120)

    def test_events_follow_what_moved(self, catalog: Catalog) -> None:
        placeholder, moved = catalog.document("new.md"), catalog.document("old.md")
        unseen, folder = catalog.folder(catalog.root, "new"), catalog.folder(catalog.root, "old")
        self.accept(catalog, DocumentHint("new.md"), "e1")
        self.accept(catalog, FolderHint("new"), "e2")
        with catalog.write() as tx:
            inbox.move(tx, placeholder, moved)
            inbox.move_folder(tx, unseen, folder)
            assert (inbox.waits(tx, placeholder), inbox.waits(tx, moved)) == (False, True)
            assert (inbox.folder_waits(tx, unseen), inbox.folder_waits(tx, folder)) == (False, True)

    # behind_at

    def test_an_accepted_change_marks_the_text_as_out_of_date(self, catalog: Catalog) -> None:
        document = catalog.document("a.md")
        catalog.set_clock(5)
        self.accept(catalog, DocumentHint("a.md"))
        assert catalog.indexing(document).behind_at == 5
        assert [row.clock for row in catalog.rows(inbox_table)] == [5]

    def test_an_older_mark_is_kept(self, catalog: Catalog) -> None:
        """An older value hides more, never less."""
        document, other = catalog.document("a.md"), catalog.document("b.md")
        catalog.set_clock(5)
        with catalog.write() as tx:
            assert indexing.mark_behind(tx, [document]) == 5
        catalog.set_clock(8)
        with catalog.write() as tx:
            assert indexing.mark_behind(tx, [document, other]) == 8
        assert (catalog.indexing(document).behind_at, catalog.indexing(other).behind_at) == (5, 8)

    def test_a_mark_reaches_every_generation(self, catalog: Catalog) -> None:
        document = catalog.document("a.md")
        building = catalog.new_generation("building")
        with catalog.write() as tx:
            indexing.ensure(tx, [building], document)
            indexing.set_behind(tx, building, document, 2)
        catalog.set_clock(5)
        with catalog.write() as tx:
            indexing.mark_behind(tx, [document])
        assert catalog.indexing(document).behind_at == 5
        assert catalog.indexing(document, building).behind_at == 2

    @pytest.mark.parametrize(
        ("events", "published", "oldest"),
        [
            ([], 1, None),
            ([(4, None)], 1, 4),
            ([(4, 1)], 1, None),
            ([(4, 2)], 1, 4),
            ([(4, 2)], 2, None),
            ([(4, 1), (6, None), (5, 3), (7, 2)], 1, 5),
            ([(4, 1), (6, None), (5, 3), (7, 2)], 3, 6),
        ],
    )
    def test_a_change_is_uncovered_until_the_version_of_its_look_is_published(
        self, catalog: Catalog, events: list[tuple[int, int | None]], published: int, oldest: int | None
    ) -> None:
        """`events`: (clock at accept, version stored or confirmed by its look, None while it waits)."""
        document, other = catalog.document("a.md"), catalog.document("b.md")
        with catalog.write() as tx:
            for number, (clock, version) in enumerate([*events, (1, None)]):
                whose = document if number < len(events) else other
                event_id = f"e{number}"
                inbox.add(tx, source_id=catalog.source, event_id=event_id, body={}, clock=clock, document_id=whose)
                if version is not None:
                    inbox.lease(tx, whose, 100 + number)
                    here = inbox_table.c.event_id == event_id
                    tx.execute(inbox_table.update().where(here).values(done_at=0.0, version=version))
            assert inbox.oldest_uncovered(tx, document, published) == oldest

    # the clock

    def test_the_clock_counts_on(self, catalog: Catalog) -> None:
        with catalog.write() as tx:
            assert access_clock.read(tx) == 0
            assert access_clock.advance(tx) == 1
            assert access_clock.advance(tx) == 2
            assert access_clock.read(tx) == 2

    def row(self, catalog: Catalog, name: str) -> AnyRow:
        """The document of that name."""
        row = catalog.row(documents_table, name=name)
        assert row is not None
        return row

    def everything(self, catalog: Catalog) -> list[list[AnyRow]]:
        """What accepting an event may change."""
        return [catalog.rows(table) for table in (inbox_table, documents_table, folders_table, indexing_table)]
