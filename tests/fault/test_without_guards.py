"""Races whose tests name no harm of their own: each with its guard taken away, which it must not survive."""

from collections.abc import Callable

import pytest

from tests.fault import guards_accept as accept
from tests.fault import guards_events as events
from tests.fault import test_late_events as late
from tests.fault import test_look_races as looks
from tests.fault.rig import Removal
from tests.world import World

Race = Callable[[World], None]

UNGUARDED: list[tuple[Race, Removal]] = [
    (
        late.test_a_file_recreated_while_a_look_finds_it_gone_is_looked_at_again,
        events.asking_for_later_events_before_an_end,
    ),
    (
        late.test_a_placeholder_whose_file_appears_while_a_look_finds_nothing_is_looked_at_again,
        events.asking_for_later_events_before_an_end,
    ),
    (late.test_an_event_that_comes_twice_takes_effect_once, accept.leaving_out_known_events),
    (late.test_a_delete_hint_that_arrives_after_the_recreation_hides_nothing, events.looking_before_a_hint_is_believed),
    (late.test_what_the_watcher_invented_changes_nothing, events.looking_before_a_hint_is_believed),
    (late.test_what_the_watcher_missed_is_found_by_a_scan, events.comparing_listings),
    (looks.test_a_hint_of_an_access_file_refuses_the_look_that_is_under_way, events.refusing_looks_under_way),
]


def name(value: object) -> str:
    """How a case is called."""
    return getattr(value, "__name__", str(value)).removeprefix("test_")


@pytest.mark.parametrize(("race", "removal"), UNGUARDED, ids=name)
def test_without_its_guard_a_race_does_harm(world: World, race: Race, removal: Removal) -> None:
    with removal(), pytest.raises(AssertionError):
        race(world)
