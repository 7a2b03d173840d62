"""Front matter: a YAML mapping between `---` lines at the very beginning of a document. Metadata, never access."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import yaml

from ingest.adapters.filesystem.metadata import flatten, tidy
from ingest.adapters.filesystem.names import ACCESS_FILE
from ingest.adapters.filesystem.strict_yaml import Misread, is_null, read_mapping
from ingest.errors import ContentUnreadable

ACCESS_KEYS: Final = frozenset(
    {
        *("access", "access_control", "access_groups", "access_level", "access_list", "acl", "acls"),
        *("allow", "allow_groups", "allow_users", "allowed", "allowed_groups", "allowed_users"),
        *("denied", "deny", "deny_groups", "deny_users", "group", "groups", "permission", "permissions"),
        *("read_access", "reader", "readers", "restricted_to", "viewer", "viewers", "visibility", "visible_to"),
    }
)
"""Keys that look as if they said who may read; compared in lower case, `-` and blanks as `_`, up to the first dot."""
MAX_CHARACTERS: Final = 64 * 1024
MAX_TITLE_CHARACTERS: Final = 300
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_OPENING = re.compile(r"---[ \t]*(?:\n|$)")
_LOOKS_LIKE_A_KEY = re.compile(r"\s*[\w\"'][\w .\"'-]*:(?:\s|$)")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a document says of itself."""

    metadata: dict[str, str] = field(default_factory=dict)
    title: str = ""
    closed: str | None = None


def split_front_matter(text: str, *, shown: str) -> tuple[FrontMatter, str]:
    """Front matter, and the text without it. `text` has normalised line ends and no byte-order mark.

    A first line `---` that is never closed is a rule, unless a key follows it. The title is not part of the
    metadata. Raises ContentUnreadable, which names the file (`shown`) and the line.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return FrontMatter(), text
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        if _LOOKS_LIKE_A_KEY.match(text, opening.end()):
            raise ContentUnreadable(f"{shown}, line 1: front matter is never closed; end it with a line of three -")
        return FrontMatter(), text
    block = text[opening.end() : closing.start()]
    if len(block) > MAX_CHARACTERS:
        raise ContentUnreadable(f"{shown}: front matter of {len(block)} characters; {MAX_CHARACTERS} are allowed")
    try:
        values = read_mapping(block) or {}
        found = FrontMatter(_metadata(values), _title(values), _closed(values))
    except Misread as error:
        advice = "mend it, or put a blank line before --- if it is none"
        raise ContentUnreadable(f"{shown}, line {error.line + 1}: front matter: {error.what}; {advice}") from None
    return found, text[closing.end() :].removeprefix("\n")


def _metadata(values: dict[str, yaml.Node]) -> dict[str, str]:
    return flatten({key: node for key, node in values.items() if key != "title" and not _is_access_key(key)})


def _title(values: dict[str, yaml.Node]) -> str:
    node = values.get("title")
    plain = isinstance(node, yaml.ScalarNode) and not is_null(node)
    return tidy(str(node.value), MAX_TITLE_CHARACTERS) if node is not None and plain else ""


def _closed(values: Iterable[str]) -> str | None:
    key = next((key for key in values if _is_access_key(key)), None)
    if key is None:
        return None
    return f"its front matter has the access key {key[:80]!r}; say who may read in {ACCESS_FILE} and remove the key"


def _is_access_key(key: str) -> bool:
    first = key.partition(".")[0].strip().casefold()
    return first.replace("-", "_").replace(" ", "_") in ACCESS_KEYS
