"""From bytes to text: by byte-order mark, then UTF-8, then the encoding that the settings declare."""

import codecs
from dataclasses import dataclass
from typing import Final

from ingest.errors import ContentUnreadable, SettingsInvalid

_MARKS: Final = (  # UTF-32 before UTF-16: the mark of the one begins with that of the other
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text without byte-order mark whose lines end in \\n, and the encoding it came in."""

    text: str
    encoding: str


def check_encoding(name: str | None) -> str | None:
    """The name Python uses for a declared encoding. Raises SettingsInvalid when it knows none of that name."""
    if name is None:
        return None
    try:
        found = codecs.lookup(name)
        "".encode(name)  # `codecs` also has transformations that are no text encodings
    except LookupError:
        raise SettingsInvalid(f"fallback_encoding: {name!r} is no encoding; write for instance cp1252 or gbk") from None
    return found.name


def decode(raw: bytes, *, shown: str, fallback: str | None = None) -> Decoded:
    """Decode strictly: no character is replaced, none is dropped.

    Raises ContentUnreadable, which names the file (`shown`) and the encodings tried.
    """
    mark, encoding = next(((mark, name) for mark, name in _MARKS if raw.startswith(mark)), (b"", ""))
    tried = [encoding] if encoding else ["utf-8", *([fallback] if fallback else [])]
    if not encoding and b"\0" in raw:
        raise ContentUnreadable(f"{shown} is binary (it holds NUL bytes); exclude it, or save it as text")
    for name in tried:
        try:
            text = raw[len(mark) :].decode(name)
        except UnicodeDecodeError:
            continue
        if "\0" in text:
            raise ContentUnreadable(f"{shown} is binary (NUL characters in {name}); exclude it, or save it as text")
        return Decoded(text.replace("\r\n", "\n").replace("\r", "\n"), name)
    advice = "save it as UTF-8" if encoding or fallback else "save it as UTF-8, or declare fallback_encoding"
    raise ContentUnreadable(f"{shown} is no text in {' or '.join(tried)}; {advice}")
