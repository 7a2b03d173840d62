"""A body of short documents whose every chunk says of which topic, part and revision it is, and who may read them.

A topic is one document of several parts; a part is one chunk. What a reader is given can so be compared with what
stands in the files, and with what stood in them before.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ingest.model.query import Hit

_SAID = re.compile(r"topic(\d{3}) part (\d+) revision (\d+)")
_WORDS = ("Goods", "parcels", "tills", "lamps", "shelves", "orders", "gates", "boxes", "signs", "doors", "keys")


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """One chunk as its text says it."""

    topic: int
    number: int
    revision: int

    @property
    def text(self) -> str:
        word = _WORDS[(self.topic * 7 + self.number) % len(_WORDS)]
        said = f"topic{self.topic:03} part {self.number} revision {self.revision}"
        return f"## Part {self.number}\n\nThis is {said}. {word} are counted every week and entered in the book."


Version = frozenset[Part]
"""All parts of a document at one time."""


def name_of(topic: int) -> str:
    """The question that finds a topic."""
    return f"topic{topic:03}"


def document(parts: Iterable[Part]) -> str:
    """The file that holds these parts."""
    return "\n\n".join(["# Handbook", *(part.text for part in sorted(parts))]) + "\n"


def parts_in(text: str) -> Version:
    """What a file or a chunk says it holds."""
    return frozenset(Part(*map(int, said)) for said in _SAID.findall(text))


def by_topic(hits: Collection[Hit]) -> dict[int, Version]:
    """What an answer shows, topic by topic. A part that is shown twice is an error."""
    shown = [part for hit in hits for part in parts_in(hit.text)]
    assert len(set(shown)) == len(shown), f"shown twice: {sorted(shown)}"
    return {topic: frozenset(p for p in shown if p.topic == topic) for topic in {part.topic for part in shown}}


@dataclass
class Rules:
    """What an access file says."""

    allow: set[str] | None = None
    deny: set[str] = field(default_factory=set)
    documents: dict[str, "Rules"] = field(default_factory=dict)

    def as_yaml(self) -> dict[str, Any]:
        said: dict[str, Any] = {} if self.allow is None else {"allow": sorted(self.allow)}
        if self.deny:
            said["deny"] = sorted(self.deny)
        if self.documents:
            said["documents"] = {name: rules.as_yaml() for name, rules in self.documents.items()}
        return said


@dataclass
class Library:
    """Files below `root`, one level of folders, their access files, and a groups file; and the same as values."""

    root: Path
    groups_file: Path
    topics: dict[str, Version] = field(default_factory=dict)
    """By key; a document that is deleted is left out."""
    rules: dict[str, Rules] = field(default_factory=dict)
    """By folder."""
    groups: dict[str, set[str]] = field(default_factory=dict)
    """By name of the group: users."""

    def write(self, key: str, parts: Version) -> None:
        """Save a document as an editor does: a new file renamed over the old one."""
        self.topics[key] = parts
        path = self.root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, document(parts))

    def delete(self, key: str) -> None:
        del self.topics[key]
        (self.root / key).unlink()

    def move(self, key: str, to: str) -> None:
        self.topics[to] = self.topics.pop(key)
        (self.root / to).parent.mkdir(parents=True, exist_ok=True)
        (self.root / key).rename(self.root / to)

    def write_rules(self, folder: str) -> None:
        (self.root / folder).mkdir(parents=True, exist_ok=True)
        _replace(self.root / folder / ".access.yaml", yaml.safe_dump(self.rules[folder].as_yaml()))

    def write_groups(self) -> None:
        _replace(self.groups_file, yaml.safe_dump({"groups": {name: sorted(of) for name, of in self.groups.items()}}))

    def may_read(self, user: str, key: str) -> bool:
        """By the plain rules of DESIGN §6: the nearest stated allow, and no deny anywhere."""
        folder, _, name = key.rpartition("/")
        me = {user, "public", *(f"group:{group}" for group, users in self.groups.items() if user in users)}
        of_folder = self.rules.get(folder, Rules())
        chain = [of_folder.documents.get(name, Rules()), of_folder, self.rules.get("", Rules())]
        nearest = next((rules.allow for rules in chain if rules.allow is not None), set())
        return bool(me & nearest) and not any(me & rules.deny for rules in chain)


def _replace(path: Path, text: str) -> None:
    new = path.with_name(f".{path.name}.tmp")
    new.write_text(text)
    new.replace(path)
