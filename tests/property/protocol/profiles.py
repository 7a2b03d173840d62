"""What a run dwells on: how often each step is taken, which processes are held, and where. Runs take turns."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

_NEGLECTED = 8.0

STEPS: dict[str, float] = {
    "create": 7,
    "edit": 12,
    "take_back": 2,
    "spoil": 1.5,
    "close": 0.8,
    "delete": 2,
    "clear_out": 1.0,
    "move": 3,
    "swap": 0.7,
    "move_folder": 1.2,
    "delete_folder": 0.5,
    "allow": 5,
    "toggle": 5,
    "undo": 2,
    "recategorise": 1,
    "break_access": 0.7,
    "remove_access": 1,
    "join": 3,
    "leave": 3,
    "run": 40,
    "drain": 12,
    "hold": 22,
    "crash": 18,
    "go_on": 20,
    "disturb": 16,
    "share": 5,
    "kill": 2,
    "ask": 12,
    "short_while": 10,
    "long_while": 6,
    "day": 0.5,
    "fault": 7,
    "deliver_again": 4,
    "lose_hints": 1.5,
    "early_hint": 1.5,
    "replay": 2,
    "other_body": 0.6,
    "explicit_delete": 1.2,
    "lose_record": 0.6,
    "refused_questions": 1.0,
    "kill_again_and_again": 0.7,
}

STOPPED: dict[str, float] = {
    "accept": 1,
    "look": 5,
    "folder look": 6,
    "index": 12,
    "access": 5,
    "orphans": 1,
    "vacuum": 4,
    "scan": 1,
    "sync": 3,
    "repair": 1,
    "ask": 4,
}


@dataclass(frozen=True)
class Profile:
    """Changes to the ordinary weights; `points` are stopped at so much more often than the others."""

    steps: Mapping[str, float] = field(default_factory=dict)
    stopped: Mapping[str, float] = field(default_factory=dict)
    points: Mapping[str, float] = field(default_factory=dict)
    disturbed: float = 0.4
    """How often something changes at once where a process has just been held."""
    shared: float = 0.1
    """How often, after that, somebody is newly allowed and asks."""

    def dwelling_on(self, points: Collection[str]) -> "Profile":
        """The same, stopping more often at points that it would rather not have missed."""
        return replace(self, points=dict(self.points) | {p: max(_NEGLECTED, self.points.get(p, 0.0)) for p in points})

    @property
    def weights(self) -> dict[str, float]:
        """Of the steps."""
        return STEPS | dict(self.steps)

    @property
    def kinds(self) -> dict[str, float]:
        """Of the kinds of processes that are held or killed."""
        return STOPPED | dict(self.stopped)


ORDINARY = Profile()
LOOKS = Profile(
    {"hold": 30, "disturb": 30, "allow": 8, "delete": 4, "run": 30},
    {"look": 20, "folder look": 20, "index": 4, "vacuum": 1, "access": 1},
    {"look.after_read": 4, "folder_look.after_read": 4},
)
PLACES = Profile(
    {"move": 12, "swap": 4, "move_folder": 10, "delete_folder": 4, "delete": 4, "create": 12, "hold": 30, "crash": 24},
    {"look": 12, "folder look": 24, "index": 4, "vacuum": 1, "access": 2, "scan": 2, "orphans": 4},
    {"folder_move.before_lock": 2, "folder_move.before_commit": 2, "folder_move.after_commit": 2, "look.after_read": 2},
)
STORES = Profile(
    {"toggle": 14, "undo": 10, "deliver_again": 14, "fault": 12, "edit": 16, "hold": 30, "disturb": 24, "run": 24},
    {"index": 14, "access": 14, "look": 1, "folder look": 1, "vacuum": 3, "sync": 0.5},
    {"access.after_patch": 3, "vector.patch_access": 3, "stage.after_write": 3, "vector.add": 3},
    disturbed=0.8,
)
READERS = Profile(
    {"hold": 60, "disturb": 30, "join": 12, "leave": 3, "allow": 10, "ask": 10, "run": 24},
    {"ask": 40, "index": 6, "sync": 3, "vacuum": 4, "look": 1, "folder look": 1},
    disturbed=0.9,
)
WIDENINGS = Profile(
    {"edit": 24, "share": 30, "allow": 8, "join": 6, "leave": 4, "ask": 8, "hold": 36, "run": 20, "lose_hints": 0.3},
    {"index": 12, "ask": 6, "look": 12, "accept": 2, "vacuum": 1, "folder look": 1, "sync": 0.5},
    {"look.after_read": 3, "publish.before_lock": 3},
    disturbed=0.8,
    shared=0.6,
)
REUSE = replace(
    STORES,
    stopped=dict.fromkeys(STOPPED, 0.0) | {"index": 1.0},
    points={"vector.add": 16, "stage.after_write": 16, "publish.before_lock": 8},
    steps=dict(STORES.steps) | {"hold": 80, "day": 0.0},
    disturbed=1.0,
)
PATCHES = replace(
    STORES,
    stopped=dict.fromkeys(STOPPED, 0.0) | {"access": 1.0},
    points={"vector.patch_access": 12, "access.after_patch": 24},
    steps=dict(STORES.steps) | {"hold": 80, "undo": 4, "toggle": 4, "day": 0.0},
    disturbed=1.0,
)
EARLY = replace(
    WIDENINGS,
    stopped=dict.fromkeys(STOPPED, 0.0) | {"look": 2.0, "index": 1.0},
    points={"look.after_early_question": 1_000, "publish.after_early_question": 1_000},
    steps=dict(WIDENINGS.steps) | {"hold": 120},
    disturbed=1.0,
    shared=1.0,
)
GROUPED = replace(
    READERS,
    steps=dict(READERS.steps) | {"join": 24, "allow": 20, "hold": 80, "run": 40},
    stopped=dict.fromkeys(STOPPED, 0.0) | {"ask": 1.0},
    disturbed=1.0,
)
METADATA = replace(
    WIDENINGS,
    steps=dict(WIDENINGS.steps) | {"recategorise": 6, "hold": 80},
    stopped=dict.fromkeys(STOPPED, 0.0) | {"index": 1.0},
    points={"publish.before_lock": 12, "stage.after_write": 6},
    disturbed=1.0,
)
"""For single mutations: where they would be met."""
PROFILES = (ORDINARY, LOOKS, STORES, PLACES, READERS, WIDENINGS)
