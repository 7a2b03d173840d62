"""Races whose tests name no harm of their own: each with its guard taken away, which it must not survive."""

from collections.abc import Callable

import pytest

from ingest.errors import StoreUnavailable
from tests.fault import guards_accept as accept
from tests.fault import guards_events as events
from tests.fault import test_late_events as late
from tests.fault import test_lock_order as order
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

WAITING: list[Race] = [
    order.test_staging_and_accepting_one_document_do_not_wait_for_each_other,
    order.test_a_publish_and_the_attempt_that_took_its_document_do_not_wait_for_each_other,
    order.test_a_look_stores_new_documents_while_a_publish_is_in_flight,
    order.test_a_batch_with_a_delete_and_a_publish_do_not_wait_for_each_other,
]


def name(value: object) -> str:
    """How a case is called."""
    return getattr(value, "__name__", str(value)).removeprefix("test_")


@pytest.mark.parametrize(("race", "removal"), UNGUARDED, ids=name)
def test_without_its_guard_a_race_does_harm(world: World, race: Race, removal: Removal) -> None:
    with removal(), pytest.raises(AssertionError):
        race(world)


@pytest.mark.parametrize("race", WAITING, ids=name)
def test_locks_that_keep_references_waiting_end_in_a_deadlock_or_a_halt(postgres_world: World, race: Race) -> None:
    with events.leaving_keys_to_references(), pytest.raises((AssertionError, StoreUnavailable)):
        race(postgres_world)
