"""Random edits, revocations and shares of a library, each with what a reader may and must find meanwhile."""

import random
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from ingest.lockstep import Lockstep
from ingest.model.event import DocumentDeleted, DocumentHint, Event, FolderHint
from tests.integration.library import Library, Part, Rules, Version
from tests.integration.truth import NOTHING, Shown, Truth
from worker.runner import sync_directories

READERS = ("user:ann", "user:bob")
FOLDERS = ("open", "staff", "desk", "vault")
TOPICS_A_FOLDER = 8
_PRINCIPALS = ("user:ann", "user:bob", "group:staff", "group:support")


def new_library(library: Library, seed: int) -> Library:
    """Fill a library: a public folder, two of one group each, one of nobody."""
    random_ = random.Random(seed)
    library.groups = {"staff": {"user:ann"}, "support": {"user:bob"}}
    library.write_groups()
    library.rules = {
        "": Rules(allow={"public"}),
        "open": Rules(),
        "staff": Rules(allow={"group:staff"}),
        "desk": Rules(allow={"group:support", "user:ann"}),
        "vault": Rules(allow=set()),
    }
    for folder in library.rules:
        library.write_rules(folder)
    topics = [(folder, number) for folder in FOLDERS for number in range(TOPICS_A_FOLDER)]
    for topic, (folder, _) in enumerate(topics):
        parts = frozenset(Part(topic, number, 0) for number in range(1, random_.randint(3, 6)))
        library.write(f"{folder}/topic{topic:03}.md", parts)
    return library


@dataclass
class Round:
    """What one round changes."""

    counted: str
    events: list[Event] = field(default_factory=list)
    edited: dict[str, Version | None] = field(default_factory=dict)
    """Documents that were edited: what stood in them before."""


class Writer:
    """Changes a library in two steps a round: until the change is acknowledged, and until both stores have followed."""

    def __init__(self, library: Library, lockstep: Lockstep, seed: int) -> None:
        self._library = library
        self._lockstep = lockstep
        self._random = random.Random(seed)
        self._revision = 0
        self._kinds: dict[str, Callable[[], Round]] = {
            "edit": self._edit,
            "document": self._document_rule,
            "folder": self._folder_rule,
            "group": self._membership,
            "share what was edited": self._edit_and_share,
            "delete": self._delete,
        }
        self.counts = dict.fromkeys(self._kinds, 0)
        self.told: list[str] = []
        """One line a round, for whoever has to understand a failure."""
        self.truth = Truth(self._settled())

    def round(self) -> None:
        """Make one random change and bring it into force, then into the stores."""
        (kind,) = self._random.choices(list(self._kinds), weights=[50, 15, 10, 10, 10, 5])
        before = self._settled()
        change = self._kinds[kind]()
        self.counts[kind] += len(change.edited) or 1
        after = self._settled()
        self.told.append(f"steps {self.truth.done + 1}, {self.truth.done + 2}: {kind} {change.events}")
        self.truth.begin({at: self._meanwhile(at, before, after, change) for at in before.keys() | after.keys()})
        self._apply(change)
        self.truth.finish()
        self.truth.begin(after)
        self._lockstep.drain()
        self.truth.finish()

    def _meanwhile(
        self,
        at: tuple[str, int],
        before: dict[tuple[str, int], Shown],
        after: dict[tuple[str, int], Shown],
        change: Round,
    ) -> Shown:
        """What holds once a change is acknowledged and the stores have not followed yet."""
        was, will = before.get(at, NOTHING), after.get(at, NOTHING)
        edited = next((parts for key, parts in change.edited.items() if f"topic{at[1]:03}" in key), None)
        if will.version is None:
            return NOTHING  # withdrawn, from the acknowledgement on
        if edited is None:
            return will if was == will else Shown(will.version, required=False)
        if was.version is None:
            return NOTHING  # edited and then shared with this reader: not the old version, and the new one is not out
        # The old version until the new one is published. Who could read it before it was shared with others may miss
        # it meanwhile, since what is out of date is left out of answers to everybody.
        return Shown(was.version, required=change.counted == "edit")

    def _apply(self, change: Round) -> None:
        with self._lockstep.database.read():
            (source,) = self._lockstep.sources
        if change.counted == "group":
            assert sync_directories(self._lockstep) == []
            return
        self._lockstep.acceptor.accept(source.id, change.events)
        if not any(isinstance(event, DocumentDeleted) for event in change.events):
            self._lockstep.look()

    def _settled(self) -> dict[tuple[str, int], Shown]:
        library = self._library
        return {
            (reader, int(key[-6:-3])): Shown(parts)
            for key, parts in library.topics.items()
            for reader in READERS
            if library.may_read(reader, key)
        }

    # the changes

    def _edit(self) -> Round:
        chosen = self._random.sample(self._keys(), self._random.randint(1, 3))
        return self._edited("edit", chosen)

    def _edited(self, counted: str, keys: Collection[str]) -> Round:
        change = Round(counted)
        for key in keys:
            change.edited[key] = self._library.topics.get(key)
            self._library.write(key, self._next_version(key))
            change.events.append(DocumentHint(key))
        return change

    def _next_version(self, key: str) -> Version:
        """Change one part, now and then add one or take one away; the others stay, so their records are kept."""
        topic = int(key[-6:-3])
        self._revision += 1
        parts = set(self._library.topics.get(key, ()))
        numbers = [part.number for part in parts]
        kind = self._random.random()
        if len(parts) > 2 and kind < 0.2:
            parts.remove(self._random.choice(sorted(parts)))
        if len(parts) < 3 or kind > 0.8:
            parts.add(Part(topic, max(numbers, default=0) + 1, self._revision))
        old = self._random.choice(sorted(parts))
        return frozenset(parts - {old} | {Part(topic, old.number, self._revision)})

    def _document_rule(self) -> Round:
        key = self._random.choice(sorted(self._library.topics))
        self._change_rule(key)
        return Round("document", [FolderHint(key.partition("/")[0])])

    def _change_rule(self, key: str) -> None:
        folder, _, name = key.rpartition("/")
        self._library.rules[folder].documents[name] = self._any_rules(inherit=0.4)
        self._library.write_rules(folder)

    def _folder_rule(self) -> Round:
        folder = self._random.choice(FOLDERS)
        rules = self._any_rules(inherit=0.2)
        self._library.rules[folder].allow, self._library.rules[folder].deny = rules.allow, rules.deny
        self._library.write_rules(folder)
        return Round("folder", [FolderHint(folder)])

    def _any_rules(self, *, inherit: float) -> Rules:
        some = {principal for principal in _PRINCIPALS if self._random.random() < 0.5}
        deny = {self._random.choice(_PRINCIPALS)} if self._random.random() < 0.2 else set()
        return Rules(None if self._random.random() < inherit else some, deny)

    def _membership(self) -> Round:
        group, user = self._random.choice(("staff", "support")), self._random.choice(READERS)
        self._library.groups[group] ^= {user}
        self._library.write_groups()
        return Round("group")

    def _edit_and_share(self) -> Round:
        key = self._random.choice(self._keys())
        change = self._edited("share what was edited", [key])
        folder, _, name = key.rpartition("/")
        self._library.rules[folder].documents[name] = Rules(allow={"public"})
        self._library.write_rules(folder)
        change.events.append(FolderHint(folder))
        return change

    def _delete(self) -> Round:
        key = self._random.choice(sorted(self._library.topics))
        self._library.delete(key)
        return Round("delete", [DocumentDeleted(key)])

    def _keys(self) -> list[str]:
        """Every document's key, deleted ones included: an edit then brings one back."""
        return [
            f"{folder}/topic{number + i * TOPICS_A_FOLDER:03}.md"
            for i, folder in enumerate(FOLDERS)
            for number in range(TOPICS_A_FOLDER)
        ]
