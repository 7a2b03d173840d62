"""Metadata as Lockstep keeps it: few flat keys, short strings."""

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Final

import yaml

from ingest.adapters.filesystem.strict_yaml import entries, is_null

MAX_KEYS: Final = 100
MAX_KEY_CHARACTERS: Final = 100
MAX_VALUE_CHARACTERS: Final = 1_000


def flatten(values: Mapping[str, yaml.Node]) -> dict[str, str]:
    """Strings by key, spelled as the author did; what does not fit the limits is left out, in the file's order.

    A list becomes its plain values joined by ", ", a mapping becomes keys with a dot (`a.b`), null is left out. Of
    keys that become equal the first counts. A key with `=` or a control character is left out: indexes store
    `key=value`. No key can reach a field of Lockstep's own, since all of them live under one.
    """
    found: dict[str, str] = {}
    for key, value in _pairs("", values):
        if len(found) >= MAX_KEYS:
            break
        if _usable(key):
            found.setdefault(key, value)
    return found


def tidy(text: str, limit: int) -> str:
    """One line of at most `limit` characters, without control characters."""
    line = " ".join(text.split())
    return "".join(c for c in line if unicodedata.category(c) not in {"Cc", "Cs"})[:limit].rstrip()


def _pairs(prefix: str, values: Mapping[str, yaml.Node]) -> Iterator[tuple[str, str]]:
    for name, node in values.items():
        key = f"{prefix}{name}"
        if isinstance(node, yaml.MappingNode):
            yield from _pairs(f"{key}.", entries(node))
        elif isinstance(node, yaml.SequenceNode):
            yield key, tidy(", ".join(_plain(item) for item in node.value if _is_plain(item)), MAX_VALUE_CHARACTERS)
        elif _is_plain(node):
            yield key, tidy(_plain(node), MAX_VALUE_CHARACTERS)


def _plain(node: yaml.Node) -> str:
    return str(node.value)


def _is_plain(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and not is_null(node)


def _usable(key: str) -> bool:
    return 0 < len(key) <= MAX_KEY_CHARACTERS and "=" not in key and tidy(key, MAX_KEY_CHARACTERS) == key
