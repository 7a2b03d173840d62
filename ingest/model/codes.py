"""Exact codes (PAY-042, AX-204): found by one pattern in texts and in questions alike."""

import re
from dataclasses import dataclass

DEFAULT_CODE_PATTERN = r"\b[A-Z]{2,}[A-Z0-9]*(?:-[A-Z0-9]*\d[A-Z0-9]*)+\b"


@dataclass(frozen=True, slots=True)
class CodePattern:
    """A regular expression for codes, matched without regard to case; codes are kept in upper case."""

    pattern: str = DEFAULT_CODE_PATTERN

    def find(self, text: str) -> tuple[str, ...]:
        """The codes in a text, each once, in order of appearance."""
        found = (match.group(0).upper() for match in re.finditer(self.pattern, text, re.IGNORECASE))
        return tuple(dict.fromkeys(found))
