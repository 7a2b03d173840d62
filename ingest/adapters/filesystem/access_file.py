"""A folder's access file: its rules, or one line that says why nobody reads below it."""

import difflib
from typing import Final

import yaml

from ingest.adapters.filesystem.metadata import flatten
from ingest.adapters.filesystem.names import forms, is_plain, shown
from ingest.adapters.filesystem.strict_yaml import Misread, entries, is_null, line_of, read_mapping, text_of
from ingest.errors import Refused
from ingest.model.access import UNREADABLE, AccessRules, DocumentRule, Policy, PolicyKind
from ingest.model.principal import PUBLIC, Principal, parse_principal

MAX_BYTES: Final = 1_000_000
_DOCUMENT_KEYS: Final = ("allow", "deny", "metadata")
_FOLDER_KEYS: Final = (*_DOCUMENT_KEYS, "documents")


def broken(reason: str) -> AccessRules:
    """Rules under which nobody reads, with the reason on one line."""
    return AccessRules(policy=UNREADABLE, problem=f"{reason}; until then nobody reads what is below")


def read_rules(text: str, *, file: str, directory: str) -> AccessRules:
    """Rules from the text of an access file (`file` is for messages); principals are of one directory.

    Anything that is not understood to the last word gives `broken` rules: half a rule may be the wrong half. That
    goes for an empty file too, since a file cut short while it is written is empty for a moment and would inherit.
    """
    try:
        values = read_mapping(text)
        if values is None:
            return broken(f"{file} is empty; write {{}} to inherit, allow: [] for nobody, or remove it")
        _check_keys(values, _FOLDER_KEYS)
        return AccessRules(_policy(values, directory), _metadata(values), _documents(values, directory))
    except Misread as error:
        return broken(f"{file}, line {error.line}: {error.what}")


def _check_keys(values: dict[str, yaml.Node], known: tuple[str, ...]) -> None:
    for key, node in values.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            advice = f"did you mean {near[0]}?" if near else f"it may have {', '.join(known)}"
            raise Misread(line_of(node), f"unknown key {key[:80]!r}: {advice}")


def _policy(values: dict[str, yaml.Node], directory: str) -> Policy:
    deny = _principals(values["deny"], "deny", directory) if "deny" in values else frozenset()
    if "allow" not in values:
        return Policy(PolicyKind.INHERIT, deny=deny)
    return Policy(PolicyKind.STATED, _principals(values["allow"], "allow", directory), deny)


def _principals(node: yaml.Node, key: str, directory: str) -> frozenset[Principal]:
    if not isinstance(node, yaml.SequenceNode):
        advice = "write [] for nobody" if key == "allow" else "write [] or leave it out"
        raise Misread(line_of(node), f"{key} must be a list like [group:support, user:ann]; {advice}")
    return frozenset(_principal(item, directory) for item in node.value)


def _principal(node: yaml.Node, directory: str) -> Principal:
    written = text_of(node)
    if written is None:
        raise Misread(line_of(node), "a principal is one word: user:NAME or group:NAME without a blank, or public")
    try:
        principal = parse_principal(written, directory=directory)
    except Refused as error:
        raise Misread(line_of(node), str(error)) from None
    if principal != PUBLIC and not principal.startswith(f"{directory}:"):
        raise Misread(line_of(node), f"{written!r} is not of this source's directory {directory!r}")
    return principal


def _metadata(values: dict[str, yaml.Node]) -> dict[str, str]:
    return flatten(entries(values["metadata"])) if "metadata" in values else {}


def _documents(values: dict[str, yaml.Node], directory: str) -> dict[str, DocumentRule]:
    if "documents" not in values:
        return {}
    rules: dict[str, DocumentRule] = {}
    for name, node in entries(values["documents"]).items():
        if not is_plain(name):
            raise Misread(line_of(node), f"{shown(name)[:80]!r} is no file in this folder; write its plain name")
        if is_null(node):
            raise Misread(line_of(node), f"nothing is said of {shown(name)[:80]!r}; write allow with a list, or {{}}")
        said = entries(node)
        _check_keys(said, _DOCUMENT_KEYS)
        rules[name] = DocumentRule(_policy(said, directory), _metadata(said))
    return _in_all_forms(rules)


def _in_all_forms(rules: dict[str, DocumentRule]) -> dict[str, DocumentRule]:
    """A rule counts for its name in either Unicode form, so that none is missed because of how it was typed."""
    return {form: rule for name, rule in rules.items() for form in forms(name)} | rules
