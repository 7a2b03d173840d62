"""Random changes at the source, and the hints that a watcher would give about them."""

import random
from collections.abc import Callable, Collection
from dataclasses import replace

from ingest.adapters.memory.content_tree import Folder
from ingest.model.access import AccessRules, DocumentRule, Policy, PolicyKind
from ingest.model.event import DocumentHint, Event, FolderHint
from ingest.model.principal import PUBLIC, Principal
from ingest.model.source import DocumentSeen, FileIdentity, Membership
from tests.property.protocol.answers import WORD
from tests.property.protocol.rig import Rig
from tests.property.protocol.stores import UNEMBEDDABLE, UNSTORABLE

FOLDERS = ("", "a", "a/x", "b")
NAMES = ("1.md", "2.md", "3.md")
USERS = tuple(Principal(f"local:user:{name}") for name in ("ann", "bob", "cid"))
GROUPS = tuple(Principal(f"local:group:{name}") for name in ("red", "blue", "all"))
_NOWHERE = FileIdentity(0, 0, 0, 0)
_DOCUMENTS_MOST = 8


class Changes:
    """Changes one source. Every change leaves its hints in `hints`, where they may be lost, doubled or late."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.tree = rig.tree
        self.hints: list[Event] = []
        self._words = 0
        self.unreadable: set[str] = set()
        self._before: tuple[str, AccessRules | None] | None = None

    @property
    def documents(self) -> list[str]:
        """Keys of what is there."""
        return [key for key, at in self.tree.walk("", set()) if isinstance(at, DocumentSeen)]

    @property
    def folders(self) -> list[str]:
        """Keys of folders, the root first."""
        return [key for key, at in self.tree.walk("", set()) if isinstance(at, Folder)]

    # documents

    def create(self, rng: random.Random) -> bool:
        """A document where none is, or was once."""
        here = self.documents
        free = [k for f in FOLDERS for n in NAMES if (k := f"{f}/{n}".lstrip("/")) not in here and self._fits(k)]
        if len(here) >= _DOCUMENTS_MOST or not free:
            return False
        self._write(rng.choice(free), [self._paragraph(rng) for _ in range(rng.randint(1, 3))])
        return True

    def at(self, key: str, rng: random.Random) -> bool:
        """Something happens to this very document or folder."""
        there = self.tree.find(key)
        if isinstance(there, Folder):
            self._set(key, AccessRules(_policy(rng), _metadata(rng)) if rng.random() < 0.8 else None)
        elif there is None:
            if not self._fits(key) or not isinstance(self.tree.find(key.rpartition("/")[0]), Folder):
                return False
            self._write(key, [self._paragraph(rng)])
        elif rng.random() < 0.6:
            return self.edit(rng, key)
        else:
            self.tree.remove(key)
            self._hint(key)
        return True

    def edit(self, rng: random.Random, key: str = "") -> bool:
        """Insert, change, drop, double, move a paragraph, in place or by a rename over the old file."""
        if not self.documents:
            return False
        key = key or rng.choice(self.documents)
        parts = self._parts(key)
        at = rng.randrange(len(parts))
        match rng.choice(["change", "change", "insert", "drop", "double", "shuffle", "same"]):
            case "change":
                parts[at] = self._paragraph(rng)
            case "insert":
                parts.insert(at, self._paragraph(rng))
            case "drop" if len(parts) > 1:
                del parts[at]
            case "double":
                parts.insert(rng.randrange(len(parts)), parts[at])
            case "shuffle":
                rng.shuffle(parts)
        if rng.random() < 0.3:
            self.tree.remove(key)
        self._write(key, parts[:4])
        return True

    def take_back(self, rng: random.Random) -> bool:
        """Bring back a paragraph that was there before, or one of another document."""
        if len(self.documents) < 2:
            return False
        key, other = rng.sample(self.documents, 2)
        self._write(key, [*self._parts(key), rng.choice(self._parts(other))][-4:])
        return True

    def spoil(self, rng: random.Random) -> bool:
        """Bytes that make no text, or text that a store or the model refuses for good."""
        if not self.documents:
            return False
        key = rng.choice(self.documents)
        if rng.random() < 0.4:
            self.unreadable.add(key)
            self._hint(key)
            return True
        word = rng.choice([UNSTORABLE, UNEMBEDDABLE])
        self._write(key, [*self._parts(key)[:3], f"{self._paragraph(rng)} {word}"])
        return True

    def close(self, rng: random.Random) -> bool:
        """Access stated in the document itself, which closes it, or no longer."""
        if not self.documents:
            return False
        key = rng.choice(self.documents)
        at = self._at(key)
        self.tree.write(key, replace(at, closed=None if at.closed else "front matter"))
        self._hint(key)
        return True

    def delete(self, rng: random.Random) -> bool:
        """A document goes."""
        if not self.documents:
            return False
        key = rng.choice(self.documents)
        self.tree.remove(key)
        self._hint(key)
        return True

    def clear_out(self, rng: random.Random) -> bool:
        """Most documents go at once, and nobody is told."""
        for key in self.documents[1:]:
            self.tree.remove(key)
        return True

    def move(self, rng: random.Random) -> bool:
        """A document moves, sometimes over another one."""
        if not self.documents:
            return False
        key = rng.choice(self.documents)
        to = f"{rng.choice(FOLDERS)}/{rng.choice(NAMES)}".lstrip("/")
        if to == key or not self._fits(to):
            return False
        self.tree.move(key, to)
        self._hint(key, to)
        return True

    def swap(self, rng: random.Random) -> bool:
        """Two documents exchange their names."""
        if len(self.documents) < 2:
            return False
        one, two = rng.sample(self.documents, 2)
        self.tree.move(one, "b.tmp")
        self.tree.move(two, one)
        self.tree.move("b.tmp", two)
        self._hint(one, two)
        return True

    # folders and access

    def move_folder(self, rng: random.Random) -> bool:
        """A folder moves with all that is in it."""
        here = self.folders
        places = [
            (key, to)
            for key in here[1:]
            for to in ("a", "b", "c", "a/x", "a/y", "b/x", "c/x")
            if to not in here and to.rpartition("/")[0] in here and not f"{to}/".startswith(f"{key}/")
        ]
        places = [(key, to) for key, to in places if self._fits(to)]
        if not places:
            return False
        key, to = rng.choice(places)
        self.tree.move(key, to)
        self.hints += [FolderHint(key), FolderHint(to, self._identity(to))]
        return True

    def delete_folder(self, rng: random.Random) -> bool:
        """A folder goes with all that is in it."""
        inner = [key for key in self.folders if key]
        if not inner:
            return False
        key = rng.choice(inner)
        self.tree.remove(key)
        self.hints.append(FolderHint(key))
        return True

    def allow(self, rng: random.Random) -> bool:
        """A folder's access file is written, with rules for all and sometimes for single documents."""
        key = rng.choice(self.folders)
        names = rng.sample(NAMES, rng.choice([0, 0, 1, 2]))
        rules = {name: DocumentRule(_policy(rng), _metadata(rng)) for name in names}
        self._set(key, AccessRules(_policy(rng), _metadata(rng), rules))
        return True

    def toggle(self, rng: random.Random) -> bool:
        """One principal more or less in an access file, and later perhaps back again: A, B, A."""
        stated = self._stated("")
        if not stated:
            return False
        key = rng.choice(stated)
        self._allow_also(key, frozenset({rng.choice([*USERS, *GROUPS, PUBLIC])}))
        return True

    def open_to(self, rng: random.Random, people: Collection[Principal], near: str = "") -> bool:
        """One of these principals is allowed, or no longer, in the access file that counts for a document."""
        stated = self._stated(near)
        if not stated or not people:
            return False
        self._allow_also(stated[-1] if near else rng.choice(stated), frozenset({rng.choice(sorted(people))}))
        return True

    def _stated(self, near: str) -> list[str]:
        """Folders that state who may read; of those above a document only, if one is given."""
        return [
            key
            for key in self.folders
            if self._rules(key).policy.kind is PolicyKind.STATED
            and (not near or f"{near}/".startswith(f"{key}/" if key else ""))
        ]

    def _allow_also(self, key: str, one: frozenset[Principal]) -> None:
        rules = self._rules(key)
        self._set(key, replace(rules, policy=replace(rules.policy, allow=rules.policy.allow ^ one)))

    def undo(self, rng: random.Random) -> bool:
        """The access file that was changed last is what it was before."""
        if self._before is None or self._before[0] not in self.folders:
            return False
        self._set(*self._before)
        return True

    def recategorise(self, rng: random.Random) -> bool:
        """Metadata that everything below a folder inherits; the root's, mostly."""
        key = rng.choice([*self.folders, "", ""])
        rules = self._rules(key)
        if not rules.problem:
            other = {} if rules.metadata else {"category": rng.choice(["one", "two"])}
            self._set(key, replace(rules, metadata=other))
        return not rules.problem

    def break_access(self, rng: random.Random) -> bool:
        """An access file that cannot be understood."""
        self._set(rng.choice(self.folders), AccessRules(problem="line 1: nonsense"))
        return True

    def remove_access(self, rng: random.Random) -> bool:
        """An access file goes."""
        having = [key for key in self.folders if isinstance(at := self.tree.find(key), Folder) and at.rules]
        if not having:
            return False
        self._set(rng.choice(having), None)
        return True

    def join(self, rng: random.Random) -> bool:
        """Somebody, or a group, joins a group; cycles included."""
        self.rig.directory.add(rng.choice(GROUPS), rng.choice([*USERS, *GROUPS]))
        return True

    def leave(self, rng: random.Random, people: Collection[Principal] = ()) -> bool:
        """Somebody, or a group, leaves a group."""
        edges = sorted(self.rig.directory._edges, key=lambda edge: (edge.group, edge.member))
        edges = [edge for edge in edges if edge.member in people] or edges
        edges = [edge for edge in edges if edge.group in self._named()] or edges
        if not edges:
            return False
        edge: Membership = rng.choice(edges)
        self.rig.directory.remove(edge.group, edge.member)
        return True

    # helpers

    def heal(self) -> None:
        """Take out what makes no text, and what stores and model refuse for good."""
        broken, self.unreadable = self.unreadable, set()
        self._hint(*sorted(broken))
        for key in self.documents:
            parts = [part for part in self._parts(key) if UNSTORABLE not in part and UNEMBEDDABLE not in part]
            if len(parts) < len(self._parts(key)):
                self._write(key, parts or [f"healed{self._next()} {WORD} ZZ-001"])

    def _fits(self, key: str) -> bool:
        """Whether nothing on the way is a document, and nothing there is a folder."""
        parts = key.split("/")
        above = ["/".join(parts[:n]) for n in range(1, len(parts))]
        return not any(isinstance(self.tree.find(part), DocumentSeen) for part in above) and not isinstance(
            self.tree.find(key), Folder
        )

    def _set(self, key: str, rules: AccessRules | None) -> None:
        at = self.tree.find(key)
        self._before = (key, at.rules if isinstance(at, Folder) else None)
        self.tree.set_access(key, rules)
        self.hints.append(FolderHint(key, self._identity(key)))

    def _named(self) -> set[Principal]:
        """Who is allowed anything by a folder."""
        return set().union(*(self._rules(key).policy.allow for key in self.folders))

    def _rules(self, key: str) -> AccessRules:
        at = self.tree.find(key)
        return (at.rules if isinstance(at, Folder) else None) or AccessRules()

    def _at(self, key: str) -> DocumentSeen:
        at = self.tree.find(key)
        assert isinstance(at, DocumentSeen)
        return at

    def _parts(self, key: str) -> list[str]:
        return self._at(key).text.split("\n\n")

    def _write(self, key: str, parts: list[str]) -> None:
        self.tree.write(key, DocumentSeen("\n\n".join(parts), "plain", _NOWHERE))
        self._hint(key)

    def _hint(self, *keys: str) -> None:
        self.hints += [DocumentHint(key, self._identity(key)) for key in keys]

    def _identity(self, key: str) -> FileIdentity | None:
        at = self.tree.find(key)
        return at.identity if at else None

    def _next(self) -> int:
        self._words += 1
        return self._words

    def _paragraph(self, rng: random.Random) -> str:
        return f"word{self._next():04d} {WORD} {rng.choice(['ZZ-001', 'YY-002'])}"


def _policy(rng: random.Random) -> Policy:
    people = [*USERS, *GROUPS, PUBLIC]
    deny = frozenset(rng.sample(people[:-1], rng.choice([0, 0, 0, 0, 1])))
    if rng.random() < 0.3:
        return Policy(PolicyKind.INHERIT, deny=deny)
    if rng.random() < 0.4:
        return Policy(PolicyKind.STATED, frozenset({rng.choice(GROUPS)}), deny)
    return Policy(PolicyKind.STATED, frozenset(rng.sample(people, rng.choice([0, 1, 2, 2, 3, 4]))), deny)


def _metadata(rng: random.Random) -> dict[str, str]:
    return rng.choice([{}, {}, {}, {"category": "one"}, {"category": "two"}])


CHANGES: dict[str, Callable[[Changes, random.Random], bool]] = {
    name: getattr(Changes, name)
    for name in (
        "create",
        "edit",
        "take_back",
        "spoil",
        "close",
        "delete",
        "clear_out",
        "move",
        "swap",
        "move_folder",
        "delete_folder",
        "allow",
        "toggle",
        "undo",
        "recategorise",
        "break_access",
        "remove_access",
        "join",
        "leave",
    )
}
