"""Random changes at a source that many workers follow at once, and what its readers must get in the end."""

import random
from threading import Lock

from ingest.adapters.memory.content_tree import Folder
from ingest.model.access import AccessRules, DocumentRule, Policy, PolicyKind
from ingest.model.event import DocumentHint, FolderHint
from ingest.model.principal import Principal
from tests.world import ANN, BLUE, BOB, CID, PUBLIC, RED, World

PEOPLE = (ANN, BOB, CID, RED, BLUE, PUBLIC)
FOLDERS = ("", "a", "a/x", "b", "b/y")
PLACES = ("a", "b", "c", "a/z", "b/y", "a/x")
NAMES = ("0.md", "1.md", "2.md", "3.md")


class Changes:
    """Changes one at a time; every one is hinted at, in any order."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._lock = Lock()

    def change(self, rng: random.Random) -> None:
        """One change and its hints."""
        with self._lock:
            try:
                hints = self._change(rng, rng.choices(KINDS, WEIGHTS)[0])
            except KeyError:  # nothing is there, or a folder would go into itself
                return
        rng.shuffle(hints)
        for hint in hints:
            self._world.accept(hint)

    def _change(self, rng: random.Random, kind: str) -> list[DocumentHint | FolderHint]:
        tree = self._world.tree
        key, other = (f"{rng.choice(FOLDERS)}/{rng.choice(NAMES)}".lstrip("/") for _ in range(2))
        folder, place = rng.choice(FOLDERS[1:]), rng.choice(PLACES)
        match kind:
            case "write":
                tree.write(key, "\n\n".join(f"part {rng.randrange(30)}" for _ in range(rng.randint(1, 3))))
            case "remove":
                tree.remove(key)
            case "move":
                tree.move(key, other)
                return [DocumentHint(key), DocumentHint(other, tree.identity(other))]
            case "move a folder":
                tree.move(folder, place)
                # a watcher walks through what has come
                there = tree.listing(place)
                hints: list[DocumentHint | FolderHint] = [FolderHint(folder, tree.identity(folder))]
                hints += [FolderHint(key, at) for key, at in there.folders.items()]
                return [*hints, *(DocumentHint(key, at) for key, at in there.documents.items())]
            case "remove a folder":
                tree.remove(folder)
                return [FolderHint(folder)]
            case "access":
                at = rng.choice(FOLDERS)
                tree.set_access(at, _rules(rng))
                return [FolderHint(at, tree.identity(at))]
        return [DocumentHint(key, tree.identity(key))]


KINDS = ("write", "remove", "move", "move a folder", "remove a folder", "access")
WEIGHTS = (50, 10, 15, 8, 4, 13)


def _rules(rng: random.Random) -> AccessRules | None:
    some = Policy(PolicyKind.STATED, frozenset(rng.sample(PEOPLE, 2)))
    alone = {"1.md": DocumentRule(Policy(PolicyKind.STATED, frozenset({ANN})))}
    metadata = {"category": str(rng.randrange(3))}
    return rng.choice([None, AccessRules(some), AccessRules(metadata=metadata), AccessRules(documents=alone)])


def expected(world: World, reader: Principal) -> dict[str, list[str]]:
    """What a reader must be given of each document, as the source and the directory say."""
    me = {reader, PUBLIC}
    while more := {edge.group for edge in world.directory.memberships() if edge.member in me} - me:
        me |= more
    found = {key: at for key, at in world.tree.walk("", set()) if not isinstance(at, Folder)}
    return {key: sorted(at.text.split("\n\n")) for key, at in found.items() if _allows(world, key) & me}


def _allows(world: World, key: str) -> frozenset[Principal]:
    *above, name = key.split("/")
    own = _rules_of(world, "/".join(above)).documents.get(name)
    stated = [own.policy] if own else []
    stated += [_rules_of(world, "/".join(above[:n])).policy for n in range(len(above), -1, -1)]
    return next((policy.allow for policy in stated if policy.kind is PolicyKind.STATED), frozenset())


def _rules_of(world: World, folder: str) -> AccessRules:
    at = world.tree.find(folder)
    return (at.rules if isinstance(at, Folder) else None) or AccessRules()
