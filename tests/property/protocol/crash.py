"""Where processes of each kind may be held or killed: at every failpoint on their way, and at calls of the fakes."""

import random

from tests.property.protocol.occurrences import points
from tests.property.protocol.profiles import Profile
from tests.property.protocol.strands import Stop

_ON_THE_WAY: dict[str, tuple[str, ...]] = {
    "accept": ("accept.",),
    "look": ("look.", "source.read"),
    "folder look": ("folder_look.", "folder_move.", "source.read", "accept."),
    "orphans": ("orphans.",),
    "index": ("claim.", "plan.", "embed.", "stage.", "publish.", "model.embed", "lexical.add", "vector.add"),
    "access": ("access.", "lexical.patch_access", "vector.patch_access"),
    "vacuum": ("vacuum.", "lexical.delete", "vector.delete"),
    "scan": ("scan.", "accept."),
    "sync": ("directory.",),
    "repair": ("audit.", "repair."),
    "ask": ("reader.",),
}

POINTS: dict[str, tuple[str, ...]] = {
    kind: tuple(sorted(point for point in points() if point.startswith(prefixes)))
    for kind, prefixes in _ON_THE_WAY.items()
}
"""By kind of process. A failpoint that is added to the protocol's code is stopped at from then on."""


def somewhere(kind: str, rng: random.Random, profile: Profile, *, crash: bool) -> Stop:
    """A random stop on the way of a process of this kind."""
    named = [point for point in profile.points if point.startswith(_ON_THE_WAY[kind])]
    weights = dict.fromkeys(POINTS[kind], 1.0) | {point: profile.points[point] for point in named}
    return Stop(rng.choices(list(weights), list(weights.values()))[0], rng.choice([1, 1, 1, 2]), crash)


def wish(kind: str, profile: Profile) -> float:
    """How much more often than usual a kind of process is to be stopped, for the points on its way."""
    points_ = [profile.points[point] for point in profile.points if point.startswith(_ON_THE_WAY[kind])]
    return 1.0 + sum(points_) / (4 * len(POINTS[kind]))
