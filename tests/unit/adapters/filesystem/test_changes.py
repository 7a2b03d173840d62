"""One entry a place, and nothing forgotten."""

from ingest.adapters.filesystem.changes import Changes, Place, Touch

A, B = Place("folder", "a"), Place("document", "b.md")


def test_the_newest_change_says_how_long_to_settle_and_a_walk_is_never_forgotten() -> None:
    changes = Changes()
    changes.add(A, Touch(0.05, walk=True))
    for _ in range(1_000):
        changes.add(B, Touch(0.5))
    changes.add(A, Touch(0.5))
    assert changes.take() == {B: Touch(0.5), A: Touch(0.5, walk=True)}
    assert not changes.take()


def test_what_is_put_back_comes_first_and_newer_changes_count() -> None:
    changes = Changes()
    changes.add(A, Touch(0.05, walk=True))
    changes.add(B, Touch(0.05))
    taken = changes.take()
    changes.add(A, Touch(0.5))
    changes.put_back(taken)
    assert list(changes.take().items()) == [(B, Touch(0.05)), (A, Touch(0.5, walk=True))]


def test_waiting_ends_with_a_change_the_time_or_the_end() -> None:
    changes = Changes()
    assert not changes.wait(0.001)
    changes.add(B, Touch(0.05))
    assert changes.wait(60)
    changes.end()
    assert not changes.wait(60)
