"""Where processes of each kind may be held or killed."""

import random

from tests.property.protocol.strands import Stop

LOOK = ("source.read", "look.before_read", "look.after_read", "look.after_compare", "look.after_commit")
FOLDER_LOOK = (
    "source.read",
    "folder_look.before_read",
    "folder_look.after_read",
    "folder_look.after_compare",
    "folder_look.after_commit",
    "folder_move.after_commit",
    "accept.after_commit",
)
INDEX = (
    "claim.after_commit",
    "plan.done",
    "model.embed",
    "embed.before_commit",
    "embed.after_commit",
    "stage.after_note",
    "lexical.add",
    "vector.add",
    "stage.after_write",
    "publish.before_lock",
    "publish.after_lock",
    "publish.before_commit",
    "publish.after_commit",
)
ACCESS = ("access.before_patch", "lexical.patch_access", "vector.patch_access", "access.after_patch")
VACUUM = ("vacuum.after_horizon", "vacuum.after_condemn", "lexical.delete", "vector.delete", "vacuum.after_delete")
SYNC = (
    "directory.after_first_read",
    "directory.after_number",
    "directory.after_read",
    "directory.after_removals",
    "directory.after_additions",
)
READER = ("reader.after_snapshot", "reader.after_search", "reader.before_last_check")

POINTS: dict[str, tuple[str, ...]] = {
    "accept": ("accept.after_commit",),
    "look": LOOK,
    "folder look": FOLDER_LOOK,
    "orphans": ("orphans.after_commit",),
    "index": INDEX,
    "access": ACCESS,
    "vacuum": VACUUM,
    "scan": ("scan.after_listing", "accept.after_commit"),
    "sync": SYNC,
    "repair": ("audit.after_store", "repair.after_republish"),
    "ask": READER,
}


def somewhere(kind: str, rng: random.Random, *, crash: bool) -> Stop:
    """A random stop on the way of a process of this kind."""
    return Stop(rng.choice(POINTS[kind]), rng.choice([1, 1, 1, 2]), crash)
