"""Where sentences end, in any language, without a dictionary.

Not `sentencex`: 1.0 panics on some texts with white space outside ASCII (`A.` before U+2028), as a BaseException and
with a trace on stderr, and does not know `；` and `…`. Only a paragraph longer than a chunk is cut at sentences, so an
abbreviation that is taken for an end costs little.
"""

import re

_CLOSERS = r"[\"'”’»)\]）」』】]*+"
_ABBREVIATION = r"(?<!\b(?:Dr|Mr|Ms|St|No|vs|cf))(?<!\b(?:Mrs|Fig))(?<!\bProf)(?<![\s.(][A-Za-z])"
_END = re.compile(
    rf"(?<![.!?]){_ABBREVIATION}[.!?]++{_CLOSERS}\s++(?![a-z])"
    rf"|(?<![。！？；…])[。！？；…．｡।॥؟۔።។။]++{_CLOSERS}\s*+"
)


def sentence_ends(text: str) -> list[int]:
    """Offsets, ascending, after each sentence and the white space behind it; the last is len(text)."""
    ends = [match.end() for match in _END.finditer(text)]
    return ends if ends and ends[-1] == len(text) else [*ends, len(text)]
