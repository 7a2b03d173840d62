"""The sample corpus as tests see it: its questions, and who may read what by the plain rules of DESIGN §6."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from ingest.model.principal import Principal, parse_principal
from ingest.model.query import Answer, Hit

SAMPLE = Path(__file__).parents[2] / "deploy" / "sample"
DOCUMENTS = SAMPLE / "documents"
GROUPS = SAMPLE / "groups.yaml"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A text of one document."""

    document: str
    text: str

    def among(self, hits: tuple[Hit, ...]) -> bool:
        return any(hit.document == self.document and self.text in hit.text for hit in hits)


@dataclass(frozen=True, slots=True)
class Asked:
    """One entry of the question file."""

    text: str
    reader: str
    kind: str
    must: tuple[Wanted, ...]
    must_not: tuple[Wanted, ...]

    @property
    def caller(self) -> frozenset[Principal]:
        return frozenset({parse_principal(self.reader)})

    def answered_by(self, answer: Answer) -> bool:
        return all(wanted.among(answer.hits[:5]) for wanted in self.must)


def questions() -> list[Asked]:
    """The question file."""
    entries = yaml.safe_load((SAMPLE / "questions.yaml").read_text())
    return [
        Asked(
            text=entry["question"],
            reader=entry["as"],
            kind=entry["kind"],
            must=tuple(Wanted(**wanted) for wanted in entry["must"]),
            must_not=tuple(Wanted(**wanted) for wanted in entry.get("must_not", ())),
        )
        for entry in entries
    ]


def readers() -> list[str]:
    """Everybody in the groups file, and one who is in no group."""
    members = {member for group in _groups().values() for member in group if member.startswith("user:")}
    return [*sorted(members), "user:visitor"]


def may_read(reader: str, document: str) -> bool:
    """Whether the access files let a reader have a document: nearest allow, every deny, nothing stated = nobody."""
    me = {reader, "public", *_groups_of(reader)}
    rules = list(_rules(document))
    denied = any(me & set(rule.get("deny", ())) for rule in rules)
    nearest: list[str] = next((rule["allow"] for rule in rules if "allow" in rule), [])
    return not denied and bool(me & set(nearest))


def _rules(document: str) -> Iterator[dict[str, Any]]:
    """What is said of a document, nearest first: its own entry, then the folders upwards."""
    folder = (DOCUMENTS / document).parent
    yield _access_file(folder).get("documents", {}).get(Path(document).name, {})
    while True:
        yield _access_file(folder)
        if folder == DOCUMENTS:
            return
        folder = folder.parent


@cache
def _access_file(folder: Path) -> dict[str, Any]:
    file = folder / ".access.yaml"
    return yaml.safe_load(file.read_text()) if file.exists() else {}


@cache
def _groups() -> dict[str, list[str]]:
    groups: dict[str, list[str]] = yaml.safe_load(GROUPS.read_text())["groups"]
    return groups


def _groups_of(member: str) -> set[str]:
    direct = {f"group:{name}" for name, members in _groups().items() if member in members}
    return direct.union(*(_groups_of(group) for group in direct))
