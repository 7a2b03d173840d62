"""What is so at the source, worked out from the tree and the directory alone: who may read what, and what it says."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ingest.adapters.memory.content_source import MemoryContentSource
from ingest.adapters.memory.content_tree import Folder
from ingest.model.access import AccessRules, DocumentRule, PolicyKind
from ingest.model.principal import Principal
from ingest.model.source import DocumentSeen, Membership
from tests.property.protocol.rig import FILTERABLE


@dataclass(frozen=True, slots=True, order=True)
class Chunk:
    """What a reader gets of a paragraph, and the metadata it can be filtered by."""

    text: str
    metadata: tuple[str, ...]


def chunks_of(text: str, metadata: dict[str, str]) -> tuple[Chunk, ...]:
    """The chunks of a document, in order."""
    words = tuple(f"{key}={metadata[key]}" for key in FILTERABLE if metadata.get(key))
    return tuple(Chunk(part, words) for part in text.split("\n\n") if part.strip())


def closure(caller: Collection[Principal], edges: Collection[Membership]) -> frozenset[Principal]:
    """A caller with every group, nested ones included."""
    found = {*caller, Principal("public")}
    while more := {edge.group for edge in edges if edge.member in found} - found:
        found |= more
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Document:
    """A document at the source, with the rules of its folders, the root's last."""

    key: str
    seen: DocumentSeen
    rule: DocumentRule
    above: tuple[AccessRules, ...]

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """What readers get."""
        metadata: dict[str, str] = {}
        for rules in reversed(self.above):
            metadata |= rules.metadata
        return chunks_of(self.seen.text, metadata | self.rule.metadata | self.seen.metadata)

    def admits(self, caller: frozenset[Principal]) -> bool:
        """Whether this caller, groups included, may read it."""
        if self.seen.closed or any(rules.problem for rules in self.above):
            return False
        policies = [self.rule.policy, *(rules.policy for rules in self.above)]
        if any(policy.deny & caller for policy in policies):
            return False
        stated = [policy for policy in policies if policy.kind is PolicyKind.STATED]
        return bool(stated and stated[0].allow & caller)


def documents(tree: MemoryContentSource) -> Iterator[Document]:
    """Every document of a source."""
    for key, at in tree.walk("", set()):
        if isinstance(at, DocumentSeen):
            folder, _, name = key.rpartition("/")
            above = tuple(_rules(tree, at) for at in _folders(folder))
            yield Document(key, at, above[0].documents.get(name, DocumentRule()), above)


def _folders(key: str) -> list[str]:
    parts = key.split("/") if key else []
    return ["/".join(parts[:n]) for n in range(len(parts), -1, -1)]


def _rules(tree: MemoryContentSource, key: str) -> AccessRules:
    at = tree.find(key)
    assert isinstance(at, Folder)
    return at.rules or AccessRules()
