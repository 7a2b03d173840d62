"""How often everything happened that must happen: a zero fails the test."""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import ingest

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


def points() -> frozenset[str]:
    """Every failpoint of the protocol's code, read from its source, and those of the fakes."""
    root = Path(ingest.__file__).parent
    files = [file for package in _PACKAGES for file in (root / package).glob("*.py")]
    return frozenset(STORE_POINTS).union(*(_POINT.findall(file.read_text()) for file in files))


@dataclass
class Occurrences:
    """Counts by kind and name."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def count(self, kind: str, name: str, number: int = 1) -> None:
        """It happened."""
        self.counts.setdefault(kind, Counter())[name] += number

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
