"""A library in an embedded installation: opened, changed and checked the same way by tests and by their victims."""

import random
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from ingest.adapters.memory.embedding_model import MemoryEmbeddingModel
from ingest.lockstep import Lockstep
from ingest.model.principal import parse_principal
from ingest.model.query import Question
from ingest.settings import DirectorySource, EdgeVector, IndexingSettings, Settings, UpkeepSettings, WatchSettings
from tests.integration.library import Library, Part, Rules, Version, by_topic, name_of, parts_in

CALL_INPUTS = 8
READERS = ("user:ann", "user:bob")


def settings_of(base: Path, **changes: Any) -> Settings:
    """Small batches and calls, so that there are several of each; upkeep only when asked for."""
    settings = Settings(
        data=base / "data",
        sources={"library": DirectorySource(path=base / "documents")},
        directories={"local": base / "groups.yaml"},
        indexing=IndexingSettings(batch=4, batch_after_crash=2, call_inputs=CALL_INPUTS, backoff_s=0.1),
        upkeep=UpkeepSettings(grace_s=0.0, second_delete_s=0.0, sample_s=3_600.0),
        watch=WatchSettings(quiet_s=0.2, settle_s=0.02),
        vector=EdgeVector(optimise_after=1_000_000),
    )
    return settings.model_copy(update=changes)


def model_of(base: Path) -> MemoryEmbeddingModel:
    """Every input that the model is given is a line in `calls`, which survives a kill."""
    return MemoryEmbeddingModel(call_log=base / "calls")


def new_library(base: Path, topics: int) -> Library:
    """Topics in three folders: one public, one of a group, one to be moved and removed."""
    library = Library(base / "documents", base / "groups.yaml")
    library.groups = {"staff": {"user:ann"}}
    library.rules = {"": Rules(allow={"public"}), "open": Rules(), "staff": Rules(allow={"group:staff"})}
    library.write_groups()
    for folder in library.rules:
        library.write_rules(folder)
    for topic in range(topics):
        folder = ("open", "staff", "spare", "old")[topic % 4]
        library.write(f"{folder}/topic{topic:03}.md", version(topic, revision=0))
    return library


def version(topic: int, revision: int, parts: int = 3) -> Version:
    """A document whose parts all have one revision."""
    return frozenset(Part(topic, number, revision) for number in range(1, parts + 1))


def edited(before: Version, revision: int) -> Version:
    """The same document with its first part changed."""
    first = min(before)
    return before - {first} | {replace(first, revision=revision)}


def as_it_stands(base: Path) -> Library:
    """The library as the files say it now."""
    root = base / "documents"
    library = Library(root, base / "groups.yaml")
    for file in root.rglob("*.md"):
        library.topics[file.relative_to(root).as_posix()] = parts_in(file.read_text())
    for file in root.rglob(".access.yaml"):
        folder = file.parent.relative_to(root).as_posix()
        library.rules["" if folder == "." else folder] = _rules(yaml.safe_load(file.read_text()))
    groups = yaml.safe_load(library.groups_file.read_text())["groups"]
    library.groups = {name: set(members) for name, members in groups.items()}
    return library


def _rules(said: dict[str, Any]) -> Rules:
    documents = {name: _rules(of) for name, of in said.get("documents", {}).items()}
    return Rules(set(said["allow"]) if "allow" in said else None, set(said.get("deny", ())), documents)


def differences(lockstep: Lockstep, library: Library, *, every: int = 1) -> list[str]:
    """Where the answers to readers are not what the files say; one line each. `every`: ask for each nth topic only."""
    found = []
    topics = {topic for parts in library.topics.values() for topic in {part.topic for part in parts}}
    for reader in READERS:
        for topic in sorted(topics)[::every]:
            expected = {
                key: parts
                for key, parts in library.topics.items()
                if library.may_read(reader, key) and topic in {part.topic for part in parts}
            }
            caller = frozenset({parse_principal(reader)})
            hits = [
                hit
                for hit in lockstep.searcher.search(Question(name_of(topic), caller, limit=30)).hits
                if topic in {part.topic for part in parts_in(hit.text)}
            ]
            shown = {key: by_topic([h for h in hits if h.document == key])[topic] for key in {h.document for h in hits}}
            if shown != expected:
                found.append(f"{reader}, topic {topic}: {shown} is not {expected}")
    return found


def wait_until(condition: Callable[[], bool], within_s: float, what: str) -> None:
    """Ask again and again until it holds. Fails when the time is over."""
    ends = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < ends, f"not within {within_s} s: {what}"
        time.sleep(0.01)


def change_something(library: Library, random_: random.Random, revision: int) -> None:
    """One random change of the kinds that people make: edit, new, delete, move, access, group."""
    keys = sorted(library.topics)
    key = random_.choice(keys)
    match random_.choice(["edit", "edit", "edit", "new", "delete", "move", "rule", "folder", "group"]):
        case "edit":
            library.write(key, edited(library.topics[key], revision))
        case "new":
            topic = 100 + revision
            library.write(f"{key.rpartition('/')[0]}/topic{topic}.md", version(topic, revision))
        case "delete" if len(keys) > 8:
            library.delete(key)
        case "move":
            library.move(key, f"{random_.choice(['open', 'staff', 'spare'])}/moved-{revision}.md")
        case "rule":
            folder, _, name = key.rpartition("/")
            rules = library.rules.setdefault(folder, Rules())
            rules.documents[name] = Rules(allow={random_.choice(["public", *READERS])})
            library.write_rules(folder)
        case "folder":
            library.rules.setdefault("staff", Rules()).allow = {random_.choice(["public", "group:staff", *READERS])}
            library.write_rules("staff")
        case "group":
            library.groups["staff"] ^= {random_.choice(READERS)}
            library.write_groups()
