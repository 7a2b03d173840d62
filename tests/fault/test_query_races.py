"""DESIGN §10: what changes while a question is answered."""

from ingest.model.access import AccessRules, Policy, PolicyKind
from ingest.model.principal import Principal
from tests.fault import guards_behind as behind
from tests.fault import guards_indexing as indexing
from tests.fault import guards_reading as reading
from tests.fault.rig import guarded_by, held
from tests.world import ANN, BOB, PUBLIC, RED, World

OLD = "the password is swordfish"
NEW = "the password is kept elsewhere"


def given(world: World, text: str, *allowed: Principal, key: str = "a/1.md") -> None:
    """A document in a folder that states who may read it, indexed."""
    world.state("a", *allowed)
    world.write(key, text)
    world.drain()


def share(world: World, *principals: Principal) -> None:
    """Widen the folder's policy, and let the prefilter follow: nothing is indexed meanwhile."""
    world.state("a", *principals)
    world.look_at_folders()
    world.patch_access()


@guarded_by(reading.comparing_stamps, behind.marking_at_accept, harm="the redacted text, still open")
def test_a_text_redacted_and_then_shared_is_not_shown_to_whom_it_was_shared_with(world: World) -> None:
    given(world, OLD, ANN)
    world.write("a/1.md", NEW)
    share(world, ANN, BOB)
    answer = world.ask("password", BOB)
    assert [hit.text for hit in answer.hits] == [], "the redacted text, still open"
    assert answer.pending == 1
    world.drain()
    assert world.visible_text("a/1.md", BOB) == NEW


@guarded_by(
    reading.comparing_stamps,
    indexing.giving_closed_records_the_time_of_the_change,
    indexing.giving_closed_records_any_time,
    harm="the redacted text, just closed",
)
def test_a_text_redacted_then_shared_and_closed_while_it_is_asked_for_is_not_shown(world: World) -> None:
    given(world, OLD, RED)
    world.write("a/1.md", NEW)
    world.join(BOB, RED)
    with held(world, "reader.after_search", lambda: world.ask("password", BOB)) as reader:
        world.look()
        world.index()
    assert OLD not in [hit.text for hit in reader.result().hits], "the redacted text, just closed"
    assert [hit.text for hit in reader.result().hits] == [NEW]


@guarded_by(reading.expanding_groups_again, harm="as a member of a group he left before it was allowed")
def test_removed_from_a_group_then_the_group_is_allowed(world: World) -> None:
    given(world, OLD, ANN)
    world.join(BOB, RED)
    with held(world, "reader.after_snapshot", lambda: world.ask("password", BOB)) as reader:
        world.leave(BOB, RED)
        share(world, ANN, RED)
    assert reader.result().hits == (), "as a member of a group he left before it was allowed"


@guarded_by(
    reading.reading_groups_and_policies_in_one_statement, harm="by the membership of before and the policy of after"
)
def test_folder_policy_and_folder_membership_read_at_two_moments(world: World) -> None:
    given(world, OLD, ANN, BOB)
    world.join(BOB, RED)
    with held(world, "reader.before_last_check", lambda: world.ask("password", BOB)) as reader:
        world.leave(BOB, RED)
        world.state("a", ANN, RED)
        world.look_at_folders()
    assert reader.result().hits == (), "by the membership of before and the policy of after"


@guarded_by(reading.asking_for_policies, harm="after its folder was closed to him")
def test_access_revoked_while_a_question_is_answered(world: World) -> None:
    given(world, OLD, ANN, BOB)
    with held(world, "reader.before_last_check", lambda: world.ask("password", BOB)) as reader:
        world.state("a", ANN)
        world.look_at_folders()
    assert reader.result().hits == (), "after its folder was closed to him"


@guarded_by(indexing.stamping_removed_edges, harm="the redacted text, freed of a deny")
def test_removed_from_a_denied_group(world: World) -> None:
    world.join(BOB, RED)
    world.state("", PUBLIC)
    world.deny("a", RED)
    world.write("a/1.md", OLD)
    world.drain()
    assert world.visible_text("a/1.md", BOB) == ""
    world.write("a/1.md", NEW)
    world.leave(BOB, RED)
    assert world.ask("password", BOB).hits == (), "the redacted text, freed of a deny"
    world.drain()
    assert world.visible_text("a/1.md", BOB) == NEW


@guarded_by(reading.comparing_the_horizon, harm="a hole")
def test_a_reader_slower_than_the_grace_period(world: World) -> None:
    given(world, f"{OLD}\n\nthe rest stays", PUBLIC)
    with held(world, "reader.after_snapshot", lambda: world.ask("password rest")) as reader:
        world.write("a/1.md", f"{NEW}\n\nthe rest stays")
        world.drain()
        world.vacuum()
        world.age(3_600)
        world.vacuum()
    texts = {hit.text for hit in reader.result().hits}
    assert texts == {NEW, "the rest stays"}, "a hole"


@guarded_by(indexing.giving_metadata_to_the_record, harm="by the metadata of before")
def test_metadata_filter_while_metadata_changes(world: World) -> None:
    def found(category: str) -> int:
        return len(world.ask("password", filters={"category": frozenset({category})}).hits)

    world.access("a", AccessRules(Policy(PolicyKind.STATED, frozenset({PUBLIC})), {"category": "draft"}))
    world.write("a/1.md", OLD)
    world.drain()
    world.access("a", AccessRules(Policy(PolicyKind.STATED, frozenset({PUBLIC})), {"category": "final"}))
    world.look()
    with held(world, "publish.before_lock", world.index):
        assert (found("draft"), found("final")) == (1, 0)
        assert len(world.ask("password").hits) == 1
    assert (found("draft"), found("final")) == (0, 1), "by the metadata of before"
