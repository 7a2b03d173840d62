"""What a run dwells on: how often each step is taken, which processes are held, and where. Runs take turns."""

from collections.abc import Mapping
from dataclasses import dataclass, field

STEPS: dict[str, float] = {
    "create": 7,
    "edit": 12,
    "take_back": 2,
    "spoil": 0.5,
    "close": 0.5,
    "delete": 2,
    "move": 3,
    "swap": 0.7,
    "move_folder": 1.2,
    "delete_folder": 0.5,
    "allow": 5,
    "toggle": 5,
    "undo": 2,
    "break_access": 0.4,
    "remove_access": 1,
    "join": 3,
    "leave": 3,
    "run": 40,
    "drain": 12,
    "hold": 22,
    "crash": 14,
    "go_on": 20,
    "disturb": 16,
    "share": 5,
    "kill": 2,
    "ask": 12,
    "short_while": 10,
    "long_while": 6,
    "day": 0.3,
    "fault": 5,
    "deliver_again": 4,
    "lose_hints": 1.5,
    "early_hint": 1.5,
    "replay": 2,
    "other_body": 0.3,
    "explicit_delete": 1.2,
    "lose_record": 0.6,
    "refused_questions": 0.7,
    "kill_again_and_again": 0.4,
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
STORES = Profile(
    {"toggle": 14, "undo": 10, "deliver_again": 14, "fault": 12, "edit": 16, "hold": 30, "disturb": 24, "run": 24},
    {"index": 14, "access": 14, "look": 1, "folder look": 1, "vacuum": 3, "sync": 0.5},
    {"access.after_patch": 3, "vector.patch_access": 3, "stage.after_write": 3, "vector.add": 3},
    disturbed=0.8,
)
READERS = Profile(
    {"hold": 40, "disturb": 30, "join": 12, "leave": 3, "allow": 10, "ask": 10, "run": 24},
    {"ask": 40, "index": 6, "sync": 3, "vacuum": 4, "look": 1, "folder look": 1},
    disturbed=0.9,
)
WIDENINGS = Profile(
    {"edit": 24, "share": 30, "allow": 8, "join": 6, "leave": 4, "ask": 8, "hold": 36, "run": 20, "lose_hints": 0.3},
    {"index": 12, "ask": 6, "look": 12, "accept": 2, "vacuum": 1, "folder look": 1, "sync": 0.5},
    {"look.after_early_question": 12, "publish.after_early_question": 12},
    disturbed=0.8,
    shared=0.6,
)
"""Names the points of one mutation, too; without it nobody passes them."""
PROFILES = (ORDINARY, LOOKS, STORES, READERS, WIDENINGS)
