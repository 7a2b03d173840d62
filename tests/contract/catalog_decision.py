"""The deciding statement, case by case, and the access fields that follow from the same rules."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from ingest.catalog import policies
from ingest.catalog.database import db_now
from ingest.catalog.tables import documents as documents_table
from ingest.catalog.tables import folders as folders_table
from ingest.catalog.tables import generations as generations_table
from ingest.catalog.tables import sources as sources_table
from ingest.model.access import INHERIT, NOBODY, UNREADABLE, Policy, PolicyKind
from ingest.model.principal import PUBLIC, Principal
from tests.contract.catalog_rows import ANN, BOB, LEADS, STAFF, Catalog, denies, numbered, stated

_NOBODY = stated()


@dataclass(frozen=True, slots=True)
class Rule:
    """Policies from the root down to the document, and whether Ann, who is staff, may read it."""

    says: str
    folders: Sequence[Policy]
    document: Policy
    readable: bool


RULES = [
    Rule("nothing stated anywhere is nobody", [INHERIT, INHERIT], INHERIT, False),
    Rule("the document's own policy", [INHERIT], stated(ANN), True),
    Rule("a group of the caller", [INHERIT], stated(STAFF), True),
    Rule("somebody else", [INHERIT], stated(BOB), False),
    Rule("everybody", [stated(PUBLIC)], INHERIT, True),
    Rule("inherited from the root", [stated(ANN), INHERIT, INHERIT], INHERIT, True),
    Rule("the nearest stated wins: narrower", [stated(ANN), stated(BOB)], INHERIT, False),
    Rule("the nearest stated wins: wider", [stated(BOB), stated(ANN)], INHERIT, True),
    Rule("the document's own is nearest", [stated(ANN)], stated(BOB), False),
    Rule("stated as nobody is nobody", [stated(ANN), _NOBODY], INHERIT, False),
    Rule("stated as nobody by the document", [stated(ANN)], _NOBODY, False),
    Rule("only the nearest, not a union", [stated(ANN), stated(BOB), INHERIT], INHERIT, False),
    Rule("a deny above the nearest", [stated(BOB, deny=[ANN]), stated(ANN)], INHERIT, False),
    Rule("a deny of a group", [denies(STAFF), stated(ANN)], INHERIT, False),
    Rule("a deny below the nearest, of an inheriting folder", [stated(ANN), denies(ANN)], INHERIT, False),
    Rule("a deny of an inheriting document", [stated(ANN)], denies(ANN), False),
    Rule("a deny of a stated document", [INHERIT], stated(ANN, deny=[STAFF]), False),
    Rule("a deny of everybody", [denies(PUBLIC), stated(ANN)], INHERIT, False),
    Rule("a deny of somebody else", [denies(BOB), stated(ANN, deny=[LEADS])], denies(BOB), True),
    Rule("an allow of an inheriting folder does not count", [Policy(allow=frozenset({ANN}))], INHERIT, False),
    Rule("an allow of an inheriting document does not count", [INHERIT], Policy(allow=frozenset({ANN})), False),
    Rule("an unreadable document", [stated(ANN)], UNREADABLE, False),
    Rule("an unreadable folder above a stated document", [UNREADABLE], stated(ANN), False),
    Rule("an unreadable folder far above", [UNREADABLE, INHERIT, stated(ANN)], INHERIT, False),
    Rule("an unreadable folder with an allow", [Policy(PolicyKind.UNREADABLE, frozenset({ANN}))], INHERIT, False),
]


class DecisionCases:
    """decide and access_of."""

    @pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.says))
    def test_the_chain_of_policies_decides(self, catalog: Catalog, rule: Rule) -> None:
        catalog.member(ANN, STAFF)
        at = self.place(catalog, rule.folders)
        document = catalog.document("a.md", rule.document, folder=at)
        record = catalog.record(document)
        found = {verdict.id for verdict in catalog.decide([ANN, PUBLIC], [record]).verdicts}
        assert found == ({record} if rule.readable else set())
        # the prefilter never hides what the decision would let through, and here it says the same
        with catalog.read() as tx:
            fields = policies.access_of(tx, [document])[document]
        assert fields.admits(frozenset({ANN, STAFF, PUBLIC})) is rule.readable

    def place(self, catalog: Catalog, above: Sequence[Policy]) -> int:
        """Folders with these policies, each in the one before; the first is the root."""
        self.state(catalog, catalog.root, above[0])
        at = catalog.root
        for depth, policy in enumerate(above[1:]):
            at = catalog.folder(at, f"level-{depth}", policy)
        return at

    def state(self, catalog: Catalog, folder: int, policy: Policy) -> None:
        """Give a folder a policy."""
        catalog.set(folders_table, folders_table.c.id == folder, policy=policy.kind)
        with catalog.write() as tx:
            policies.write_entries(tx, "f", folder, policy)

    def test_several_candidates_are_decided_each_by_its_own_chain(self, catalog: Catalog) -> None:
        a = catalog.folder(catalog.root, "a", stated(ANN))
        b = catalog.folder(catalog.root, "b", stated(BOB))
        mine = [catalog.readable("1", folder=a), catalog.readable("2", stated(ANN), folder=b)]
        theirs = [catalog.readable("3", folder=b), catalog.readable("4", stated(BOB), folder=a)]
        shared = catalog.readable("5", stated(ANN, BOB))
        every = [*mine, *theirs, shared]
        assert catalog.seen(ANN, *every) == [*mine, shared]
        assert catalog.seen(BOB, *every) == [*theirs, shared]
        both = catalog.decide([ANN, BOB], every)
        assert {verdict.id for verdict in both.verdicts} == set(every)

    def test_a_caller_that_is_several_is_denied_as_each(self, catalog: Catalog) -> None:
        record = catalog.readable("a", stated(ANN, deny=[BOB]))
        assert len(catalog.decide([ANN], [record]).verdicts) == 1
        assert catalog.decide([ANN, BOB], [record]).verdicts == ()

    def test_no_caller_and_no_candidates_get_a_header_alone(self, catalog: Catalog) -> None:
        record = catalog.readable("a", stated(PUBLIC))
        nobody = catalog.decide([], [record])
        assert (nobody.groups, nobody.horizon, nobody.verdicts) == (0, 0, ())
        nothing = catalog.decide([PUBLIC], [])
        assert (nothing.groups, nothing.horizon, nothing.verdicts) == (1, 0, ())
        stranger = catalog.decide([Principal("local:user:unheard-of")], [record, numbered(1)])
        assert (stranger.groups, stranger.verdicts) == (0, ())

    # chains

    @pytest.mark.parametrize(("steps", "readable"), [(63, True), (64, True), (65, False)])
    def test_a_chain_of_more_than_64_steps_is_nobody(self, catalog: Catalog, steps: int, readable: bool) -> None:
        leaf = catalog.chain(steps)
        # stated by the document itself: the chain counts all the same
        document = catalog.document("a.md", stated(ANN), folder=leaf)
        record = catalog.record(document)
        assert bool(catalog.seen(ANN, record)) is readable
        with catalog.read() as tx:
            assert (policies.access_of(tx, [document])[document] != NOBODY) is readable

    @pytest.mark.parametrize("which", ["leaf", "middle", "root"])
    def test_a_deleted_folder_anywhere_above_is_nobody(self, catalog: Catalog, which: str) -> None:
        middle = catalog.folder(catalog.root, "middle")
        leaf = catalog.folder(middle, "leaf")
        document = catalog.document("a.md", stated(ANN), folder=leaf)
        record = catalog.record(document)
        assert catalog.seen(ANN, record) == [record]
        dead = {"leaf": leaf, "middle": middle, "root": catalog.root}[which]
        catalog.set(folders_table, folders_table.c.id == dead, deleted_at=1.0)
        assert catalog.seen(ANN, record) == []
        with catalog.read() as tx:
            assert policies.access_of(tx, [document]) == {document: NOBODY}

    def test_folders_in_a_circle_are_nobody(self, catalog: Catalog) -> None:
        a = catalog.folder(catalog.root, "a", stated(ANN))
        b = catalog.folder(a, "b")
        record = catalog.readable("a.md", folder=b)
        catalog.set(folders_table, folders_table.c.id == a, parent_id=b)
        assert catalog.seen(ANN, record) == []

    # documents and sources

    @pytest.mark.parametrize("values", [{"hidden": True}, {"deleted_at": 1.0}, {"policy": "unreadable"}])
    def test_a_hidden_deleted_or_unreadable_document_is_nobodys(
        self, catalog: Catalog, values: dict[str, object]
    ) -> None:
        document = catalog.document("a.md", stated(ANN))
        record = catalog.record(document)
        assert catalog.seen(ANN, record) == [record]
        catalog.set(documents_table, documents_table.c.id == document, **values)
        assert catalog.seen(ANN, record) == []
        with catalog.read() as tx:
            assert policies.access_of(tx, [document, 10**9]) == {document: NOBODY, 10**9: NOBODY}

    @pytest.mark.parametrize(
        ("values", "readable"),
        [
            ({"state": "unsynced"}, False),
            ({"state": "removed"}, False),
            ({"max_age_s": 100.0, "synced_at": None}, False),
            ({"max_age_s": None, "synced_at": None}, True),
        ],
    )
    def test_a_source_that_cannot_be_trusted_is_nobodys(
        self, catalog: Catalog, values: dict[str, object], readable: bool
    ) -> None:
        record = catalog.readable("a.md", stated(ANN))
        catalog.set(sources_table, sources_table.c.id == catalog.source, **values)
        assert bool(catalog.seen(ANN, record)) is readable

    def test_a_source_that_was_not_synced_for_too_long_is_nobodys(self, catalog: Catalog) -> None:
        record = catalog.readable("a.md", stated(ANN))
        catalog.set(sources_table, sources_table.c.id == catalog.source, max_age_s=100.0, synced_at=db_now())
        assert catalog.seen(ANN, record) == [record]
        catalog.pass_time(90)
        assert catalog.seen(ANN, record) == [record]
        catalog.pass_time(20)
        assert catalog.seen(ANN, record) == []

    # groups

    def test_nested_groups_count_and_circles_end(self, catalog: Catalog) -> None:
        groups = [Principal(f"local:group:{n}") for n in range(6)]
        catalog.member(ANN, groups[0])
        for inner, outer in itertools.pairwise(groups):
            catalog.member(inner, outer)
        catalog.member(groups[4], groups[1])
        catalog.member(groups[2], groups[2])
        allowed, denied = catalog.readable("a", stated(groups[5])), catalog.readable("b", stated(ANN, deny=[groups[5]]))
        assert catalog.seen(ANN, allowed, denied) == [allowed]
        # membership goes up, never down: who is only the outer group is not a member of the inner ones
        innermost = catalog.readable("c", stated(groups[0]))
        assert catalog.seen(groups[5], innermost) == []

    def test_a_removed_edge_no_longer_counts(self, catalog: Catalog) -> None:
        catalog.former_member(ANN, STAFF, removed_at=1)
        allowed, denied = catalog.readable("a", stated(STAFF)), catalog.readable("b", stated(ANN, deny=[STAFF]))
        assert catalog.seen(ANN, allowed, denied) == [denied]

    @pytest.mark.parametrize(("limit", "groups"), [(3, 4), (4, 5), (5, 5), (100, 5)])
    def test_more_groups_than_the_limit_are_told_as_one_more(self, catalog: Catalog, limit: int, groups: int) -> None:
        """Ann and four groups: the reader refuses what is above its limit."""
        for n in range(4):
            catalog.member(ANN, Principal(f"local:group:{n}"))
        record = catalog.readable("a", stated(ANN))
        assert catalog.decide([ANN], [record], closure_limit=limit).groups == groups

    # epochs

    @pytest.mark.parametrize(
        ("epoch", "values", "seen"),
        [
            (5, {"from_epoch": 5}, "open"),
            (4, {"from_epoch": 5}, None),
            (5, {"from_epoch": None}, None),
            (5, {"from_epoch": 1, "to_epoch": 5}, None),
            (4, {"from_epoch": 1, "to_epoch": 5}, "closed"),
            (5, {"from_epoch": 1, "to_epoch": 6}, "closed"),
        ],
    )
    def test_a_record_is_seen_within_its_interval(
        self, catalog: Catalog, epoch: int, values: dict[str, int | None], seen: str | None
    ) -> None:
        document = catalog.document("a.md", stated(ANN))
        record = catalog.record(document, stale_since=0, **values)
        found = catalog.decide([ANN], [record], epoch=epoch).verdicts
        assert [(verdict.id, verdict.closed) for verdict in found] == ([(record, seen == "closed")] if seen else [])

    def test_the_horizon_is_told(self, catalog: Catalog) -> None:
        catalog.set(generations_table, generations_table.c.id == catalog.generation, horizon=7)
        assert catalog.decide([ANN], []).horizon == 7
        catalog.generation += 1_000
        assert catalog.decide([ANN], []).horizon is None

    def test_records_of_another_generation_are_not_seen(self, catalog: Catalog) -> None:
        document = catalog.document("a.md", stated(ANN))
        record = catalog.record(document, generation_id=catalog.new_generation("building"))
        assert catalog.seen(ANN, record) == []

    # stamps

    @pytest.mark.parametrize("closed", [False, True], ids=["behind", "closed"])
    @pytest.mark.parametrize("stamped", ["document", "folder", "root", "edge", "outer edge", "removed edge"])
    @pytest.mark.parametrize(("stamp", "pending"), [(4, False), (5, False), (6, True)])
    def test_a_widening_counts_only_for_text_that_was_not_yet_out_of_date(
        self, catalog: Catalog, closed: bool, stamped: str, stamp: int, pending: bool
    ) -> None:
        """The text has been out of date since 5."""
        middle = catalog.folder(catalog.root, "middle", opened_at=stamp if stamped == "folder" else 0)
        if stamped == "root":
            catalog.set(folders_table, folders_table.c.id == catalog.root, opened_at=stamp)
        document = catalog.document("a.md", stated(ANN), folder=middle, opened_at=stamp if stamped == "document" else 0)
        catalog.member(ANN, STAFF, granted_at=stamp if stamped == "edge" else 0)
        catalog.member(STAFF, LEADS, granted_at=stamp if stamped == "outer edge" else 0)
        catalog.former_member(STAFF, BOB, removed_at=stamp if stamped == "removed edge" else 0)
        if closed:
            record = catalog.record(document, to_epoch=2, stale_since=5)
        else:
            record = catalog.record(document)
            catalog.set_indexing(document, behind_at=5)
        assert [verdict.pending for verdict in catalog.decide([ANN], [record]).verdicts] == [pending]

    def test_text_that_is_not_out_of_date_is_never_pending(self, catalog: Catalog) -> None:
        document = catalog.document("a.md", stated(ANN), opened_at=9)
        record = catalog.record(document)
        assert [verdict.pending for verdict in catalog.decide([ANN], [record]).verdicts] == [False]

    def test_closed_text_that_does_not_say_since_when_is_pending(self, catalog: Catalog) -> None:
        record = catalog.record(catalog.document("a.md", stated(ANN)), to_epoch=2)
        assert [verdict.pending for verdict in catalog.decide([ANN], [record]).verdicts] == [True]

    def test_a_closed_record_does_not_ask_whether_its_document_is_behind(self, catalog: Catalog) -> None:
        document = catalog.document("a.md", stated(ANN), opened_at=4)
        closed, opened = catalog.record(document, to_epoch=2, stale_since=5), catalog.record(document)
        catalog.set_indexing(document, behind_at=3)
        found = {verdict.id: verdict.pending for verdict in catalog.decide([ANN], [closed, opened]).verdicts}
        assert found == {closed: False, opened: True}

    def test_stamps_of_others_do_not_matter(self, catalog: Catalog) -> None:
        document = catalog.document("a.md", stated(ANN))
        record = catalog.record(document)
        catalog.set_indexing(document, behind_at=5)
        catalog.member(BOB, STAFF, granted_at=9)
        catalog.former_member(BOB, LEADS, removed_at=9)
        catalog.folder(catalog.root, "beside", opened_at=9)
        assert [verdict.pending for verdict in catalog.decide([ANN], [record]).verdicts] == [False]

    # text

    def test_the_text_comes_with_the_decision(self, catalog: Catalog) -> None:
        document = catalog.document("a.md", stated(ANN))
        record = catalog.record(document, body="the text", heading=["Top", "Below"], since_version=3)
        other = catalog.readable("b.md", stated(BOB))
        (found,) = catalog.decide([ANN], [record, other], with_text=True).verdicts
        assert (found.text, found.heading_path, found.since_version) == ("the text", ("Top", "Below"), 3)
        assert (found.id, found.document_id) == (record, document)
        (without,) = catalog.decide([ANN], [record, other]).verdicts
        assert (without.text, without.document_id) == ("", 0)
