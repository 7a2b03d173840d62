"""YAML of which every value is what its author wrote: no aliases, no tags, no repeated keys, nothing executed.

Values are handed over as nodes, so that `1.10`, `no` and `2024-01-05` keep their spelling and messages their line.
"""

from typing import Any, Final

import yaml

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_DEPTH: Final = 16
_NULL: Final = "tag:yaml.org,2002:null"
_TEXT: Final = "tag:yaml.org,2002:str"


class Misread(Exception):
    """`what` is wrong in a line, counted from 1; never holds the text itself."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line}: {what}")
        self.line = line
        self.what = what


def read_mapping(text: str) -> dict[str, yaml.Node] | None:
    """The top-level mapping of one YAML document; None when there is nothing but blanks and comments.

    Raises Misread.
    """
    try:
        _refuse_tricks(text)
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        last = len(text.splitlines()) or 1  # a mark may stand behind the end
        raise Misread(
            min(mark.line + 1, last) if mark else 1, f"broken YAML ({error.problem or error.context})"
        ) from None
    except yaml.YAMLError:
        raise Misread(1, "broken YAML (a character that YAML does not allow)") from None
    return None if node is None else entries(node)


def entries(node: yaml.Node) -> dict[str, yaml.Node]:
    """A mapping's values by key. Raises Misread when it is no mapping, or a key is no single word or repeated."""
    if not isinstance(node, yaml.MappingNode):
        raise Misread(line_of(node), "a mapping (`key: value`) is expected here")
    found: dict[str, yaml.Node] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise Misread(line_of(key), "a key must be one plain word")
        name = str(key.value)
        if name in found:
            raise Misread(line_of(key), f"the key {name[:80]!r} is there twice")
        found[name] = value
    return found


def line_of(node: yaml.Node) -> int:
    """Where a node begins, counted from 1."""
    return int(node.start_mark.line) + 1


def is_null(node: yaml.Node) -> bool:
    """Whether nothing is written there (or `null`, or `~`)."""
    return isinstance(node, yaml.ScalarNode) and node.tag == _NULL


def text_of(node: yaml.Node) -> str | None:
    """The value when it is text; None for numbers, dates, true and false, null, lists and mappings."""
    return str(node.value) if isinstance(node, yaml.ScalarNode) and node.tag == _TEXT else None


def _refuse_tricks(text: str) -> None:
    # Looked for in the parser's events, before anything is built: an alias would make a small text large.
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        line = event.start_mark.line + 1 if event.start_mark else 1
        if getattr(event, "anchor", None) is not None:
            raise Misread(line, "anchors and aliases (& and *) are not allowed; quote the value if it is text")
        if getattr(event, "tag", None) is not None:
            raise Misread(line, "tags (!) are not allowed; quote the value if it is text")
        if depth > _MAX_DEPTH:
            raise Misread(line, f"nested more than {_MAX_DEPTH} deep")
