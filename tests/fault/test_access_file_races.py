"""DESIGN §10: access files that are gone or unusable for an instant, and access fields that were written late."""

from ingest.model.access import AccessRules, Policy, PolicyKind
from tests.fault import guards_folders as folders
from tests.fault import guards_reading as reading
from tests.fault.rig import guarded_by, held
from tests.world import ANN, BOB, PUBLIC, World

LEFT = "what a late patch left"


def given(world: World) -> None:
    """A folder for ann alone, in one for everybody."""
    world.state("", PUBLIC)
    world.state("a", ANN)
    world.write("a/1.md", "apples")
    world.drain()


@guarded_by(folders.doubting_a_vanished_access_file, harm="while the access file was away")
def test_access_file_gone_for_an_instant(world: World) -> None:
    given(world)
    world.access("a", None)
    world.look()
    world.patch_access()
    assert world.visible_text("a/1.md", BOB) == "", "while the access file was away"
    world.state("a", ANN)
    world.drain()
    assert world.visible_text("a/1.md", BOB) == ""
    assert world.visible_text("a/1.md", ANN) == "apples"


@guarded_by(folders.doubting_a_vanished_access_file, harm="while the access file was away")
def test_access_file_written_anew_while_it_is_looked_at(world: World) -> None:
    given(world)
    world.access("a", None)
    with held(world, "folder_look.after_read", world.look_at_folders):
        world.state("a", ANN, hint=False)  # a hint would refuse the look that saw the gap
    world.patch_access()
    assert world.visible_text("a/1.md", BOB) == "", "while the access file was away"
    world.age(60)  # the second look
    world.drain()
    assert world.visible_text("a/1.md", BOB) == ""
    assert world.visible_text("a/1.md", ANN) == "apples"


def test_access_file_that_stays_away_counts_from_the_second_look_on(world: World) -> None:
    given(world)
    world.access("a", None)
    world.drain()
    assert world.visible_text("a/1.md", ANN) == ""
    world.age(60)
    world.drain()
    assert world.visible_text("a/1.md", BOB) == "apples"


@guarded_by(folders.taking_an_unusable_access_file_for_nobody, harm="by an access file that nobody understands")
def test_access_file_unreadable(world: World) -> None:
    given(world)
    world.access("a", AccessRules(problem="cut off in the middle"))
    world.look()
    world.patch_access()
    assert world.visible_text("a/1.md", BOB) == "", "by an access file that nobody understands"
    world.access("a", AccessRules(Policy(PolicyKind.STATED, frozenset({ANN, BOB}))))
    world.drain()
    assert world.visible_text("a/1.md", BOB) == "apples"


@guarded_by(reading.asking_for_policies, folders.comparing_access_in_the_audit, harm=LEFT)
def test_a_late_patch_of_a_worker_that_lost_its_lease(world: World) -> None:
    given(world)
    world.state("a", ANN, BOB)
    world.look()
    world.fan_out()
    with held(world, "access.before_patch", world.access_fields.patch):
        world.state("a", ANN)
        world.look()
        world.expire_leases()
        world.patch_access()
        assert world.audit().clean
    assert world.visible_text("a/1.md", BOB) == "", LEFT
    assert not world.audit().clean, LEFT
    world.repair()
    assert world.audit().clean
