"""People and groups from one YAML file: `groups: {support: [user:ann, group:night-shift]}`."""

from pathlib import Path
from typing import Final

import yaml

from ingest.adapters.filesystem.decoding import decode
from ingest.adapters.filesystem.strict_yaml import Misread, entries, line_of, read_mapping, text_of
from ingest.adapters.filesystem.tree import identity_of
from ingest.errors import ContentUnreadable, Refused, SourceUnavailable
from ingest.model.principal import PUBLIC, Principal, parse_principal
from ingest.model.source import Membership

MAX_BYTES: Final = 20_000_000


class GroupsFile:
    """Implements `Directory`. Complete is a file that was understood to its last word; `groups: {}` is complete and
    empty, an empty file is not: it may be one that is just being written."""

    def __init__(self, path: Path, directory: str = "local") -> None:
        self._path = path
        self._directory = directory

    def memberships(self) -> frozenset[Membership]:
        """See `Directory.memberships`."""
        text = self._text()
        try:
            values = read_mapping(text)
            if values is None:
                raise self._incomplete("it is empty; write `groups: {}` if there are no groups")
            return frozenset(edge for name, node in _groups(values).items() for edge in self._edges(name, node))
        except Misread as error:
            raise self._incomplete(f"line {error.line}: {error.what}") from None

    def _edges(self, name: str, members: yaml.Node) -> list[Membership]:
        if not name.strip() or ":" in name:
            raise Misread(line_of(members), f"{name[:80]!r} is no group name; write it without a colon")
        if not isinstance(members, yaml.SequenceNode):
            raise Misread(line_of(members), f"members of {name[:80]!r} must be a list like [user:ann, group:support]")
        group = Principal(f"{self._directory}:group:{name.strip()}")
        return [Membership(self._member(node), group) for node in members.value]

    def _member(self, node: yaml.Node) -> Principal:
        written = text_of(node)
        if written is None:
            raise Misread(line_of(node), "a member is one word: user:NAME or group:NAME, without a blank")
        try:
            member = parse_principal(written, directory=self._directory)
        except Refused as error:
            raise Misread(line_of(node), str(error)) from None
        if member == PUBLIC or not member.startswith(f"{self._directory}:"):
            raise Misread(line_of(node), f"{written[:80]!r} is no user or group of {self._directory!r}")
        return member

    def _text(self) -> str:
        try:
            with self._path.open("rb") as file:
                before = self._path.stat()
                raw = file.read(MAX_BYTES + 1)
                after = self._path.stat()
        except OSError as error:
            raise self._incomplete(error.strerror or type(error).__name__) from error
        if len(raw) != before.st_size or identity_of(before) != identity_of(after):
            raise self._incomplete(f"it changed while it was read, or is larger than {MAX_BYTES} bytes")
        try:
            return decode(raw, shown=str(self._path)).text
        except ContentUnreadable as error:
            raise SourceUnavailable(f"{error}; groups stay as they were") from None

    def _incomplete(self, reason: str) -> SourceUnavailable:
        return SourceUnavailable(f"{self._path}: {reason}; groups stay as they were")


def _groups(values: dict[str, yaml.Node]) -> dict[str, yaml.Node]:
    for key, node in values.items():
        if key != "groups":
            raise Misread(line_of(node), f"unknown key {key[:80]!r}: the file has groups, and nothing else")
    if "groups" not in values:
        raise Misread(1, "the key groups is missing")
    return entries(values["groups"])
