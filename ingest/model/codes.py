"""Exact codes (PAY-042, AX-204): found by one pattern in texts and in questions alike."""

import re
from dataclasses import dataclass

# Latin letters and digits end a code, whatever stands around it: \b would see none between Han characters and Latin.
DEFAULT_CODE_PATTERN = r"(?<![A-Z0-9])[A-Z]{2,}[A-Z0-9]*(?:-[A-Z0-9]*\d[A-Z0-9]*)+(?![A-Z0-9])"


@dataclass(frozen=True, slots=True)
class CodePattern:
    """A regular expression for codes, matched without regard to case; codes are kept in upper case."""

    pattern: str = DEFAULT_CODE_PATTERN

    def find(self, text: str) -> tuple[str, ...]:
        """The codes in a text, each once, in order of appearance."""
        found = (match.group(0).upper() for match in re.finditer(self.pattern, text, re.IGNORECASE))
        return tuple(dict.fromkeys(found))
