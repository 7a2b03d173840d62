"""How often everything happened that must happen: a zero fails the test."""

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import ingest
from tests.property.protocol.profiles import STEPS

_POINT = re.compile(r'failpoint\("([a-z_.]+)"\)')
_PACKAGES = ("indexing", "retrieval", "upkeep")
STORE_POINTS = (
    "lexical.add",
    "vector.add",
    "lexical.patch_access",
    "vector.patch_access",
    "lexical.delete",
    "vector.delete",
    "model.embed",
    "source.read",
)
"""Points of the fakes, between two steps as well."""


@cache
def points() -> frozenset[str]:
    """Every failpoint of the protocol's code, read from its source, and those of the fakes."""
    root = Path(ingest.__file__).parent
    files = [file for package in _PACKAGES for file in (root / package).glob("*.py")]
    return frozenset(STORE_POINTS).union(*(_POINT.findall(file.read_text()) for file in files))


def expected() -> dict[str, frozenset[str]]:
    """By kind, what must have happened when a run is called a test."""
    everywhere = points()
    return {
        "step": frozenset(STEPS),
        "crashed at": everywhere,
        "held at": everywhere,
        "refusal": REFUSALS,
        "look": frozenset({"stored", "confirmed", "deleted", "moved", "again", "held", "unavailable"}),
        "folder look": frozenset({"stored", "deleted", "moved", "again", "unavailable"}),
        "index": frozenset({"documents", "held", "failed", "left out"}),
        "answer": frozenset({"with hits", "empty", "pending"}),
        "repair": frozenset({"deleted", "documents", "access"}),
    }


REFUSALS = frozenset(
    {
        "StoreUnavailable",
        "Superseded",
        "Refused",
        "GenerationMismatch",
        "TooManyGroups",
        "a suspicious drop was held",
        "an event id with another body",
        "a reader's snapshot was gone",
        "held while indexing until a retry",
        "held at a look until a retry",
    }
)
"""What the world must have refused, each at least once."""


@dataclass
class Occurrences:
    """Counts by kind and name."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def count(self, kind: str, name: str, number: int = 1) -> None:
        """It happened."""
        self.counts.setdefault(kind, Counter())[name] += number

    def neglected(self) -> list[str]:
        """Points at which nobody was killed yet, or nobody held."""
        crashed, held = (self.counts.get(kind, Counter()) for kind in ("crashed at", "held at"))
        return sorted(point for point in points() if not (crashed[point] and held[point]))

    def add(self, other: "Occurrences") -> None:
        """Count what happened elsewhere too."""
        for kind, counted in other.counts.items():
            self.counts.setdefault(kind, Counter()).update(counted)

    def table(self, expected: dict[str, frozenset[str]]) -> str:
        """All counts, those that are expected and never happened included."""
        lines = []
        for kind in sorted(self.counts.keys() | expected.keys()):
            found = self.counts.get(kind, Counter())
            lines.append(f"{kind}:")
            lines += [f"  {found[name]:8d}  {name}" for name in sorted(found.keys() | expected.get(kind, frozenset()))]
        return "\n".join(lines)

    def missing(self, expected: dict[str, frozenset[str]]) -> list[str]:
        """What never happened."""
        return [
            f"{kind}: {name}"
            for kind, names in sorted(expected.items())
            for name in sorted(names)
            if not self.counts.get(kind, Counter())[name]
        ]
