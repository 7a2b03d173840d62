"""Which policy changes only narrow, and whom access fields admit."""

import pytest

from ingest.model.access import INHERIT, NOBODY, UNREADABLE, Access, Policy, PolicyKind
from ingest.model.principal import Principal

ANN, BOB, PUBLIC = Principal("local:user:ann"), Principal("local:user:bob"), Principal("public")


def stated(*allow: Principal, deny: tuple[Principal, ...] = ()) -> Policy:
    return Policy(PolicyKind.STATED, frozenset(allow), frozenset(deny))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (stated(ANN, BOB), stated(ANN)),
        (stated(ANN), stated(ANN, deny=(BOB,))),
        (stated(ANN), stated()),
        (stated(ANN), UNREADABLE),
        (INHERIT, UNREADABLE),
        (INHERIT, Policy(deny=frozenset({BOB}))),
        (UNREADABLE, UNREADABLE),
        (stated(ANN), stated(ANN)),
    ],
)
def test_taking_readers_away_only_narrows(before: Policy, after: Policy) -> None:
    assert after.only_narrows(before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (stated(ANN), stated(ANN, BOB)),
        (stated(ANN), stated(BOB)),
        (stated(ANN, deny=(BOB,)), stated(ANN)),
        (stated(ANN), INHERIT),
        (INHERIT, stated(ANN)),
        (UNREADABLE, INHERIT),
        (UNREADABLE, stated()),
        (Policy(deny=frozenset({BOB})), INHERIT),
    ],
)
def test_anything_else_is_a_widening(before: Policy, after: Policy) -> None:
    assert not after.only_narrows(before)


def test_nobody_is_admitted_by_empty_fields() -> None:
    assert not NOBODY.admits(frozenset({ANN, PUBLIC}))


def test_deny_beats_allow() -> None:
    fields = Access(frozenset({PUBLIC}), frozenset({BOB}))
    assert fields.admits(frozenset({ANN, PUBLIC}))
    assert not fields.admits(frozenset({BOB, PUBLIC}))


def test_the_digest_differs_when_allow_and_deny_are_exchanged() -> None:
    assert Access(frozenset({ANN}), frozenset()).digest != Access(frozenset(), frozenset({ANN})).digest
