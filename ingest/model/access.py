"""Policies, and the access fields that records carry because of them."""

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum

from ingest.model.principal import Principal


class PolicyKind(StrEnum):
    """What a policy says of allow; denies count under every kind."""

    INHERIT = "inherit"
    STATED = "stated"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Policy:
    """What one document or folder states about its readers. `allow` counts only where kind is STATED."""

    kind: PolicyKind = PolicyKind.INHERIT
    allow: frozenset[Principal] = frozenset()
    deny: frozenset[Principal] = frozenset()

    def only_narrows(self, before: "Policy") -> bool:
        """Whether going from `before` to this policy can take readers away but never add one.

        Anything else is a widening (DESIGN §5): an allow added, a deny removed, stated to inherit or back,
        unreadable to readable.
        """
        if self.kind is PolicyKind.UNREADABLE:
            return True
        if before.kind is not self.kind:
            return False
        return self.allow <= before.allow and self.deny >= before.deny


INHERIT = Policy()
UNREADABLE = Policy(PolicyKind.UNREADABLE)


@dataclass(frozen=True, slots=True)
class Access:
    """The access fields of a record: a prefilter inside both stores, never a decision.

    A caller passes when one of its principals is in `allow` and none is in `deny`. Empty `allow` is nobody.
    """

    allow: frozenset[Principal] = frozenset()
    deny: frozenset[Principal] = frozenset()

    @property
    def digest(self) -> str:
        """A hash of all patched fields, 32 hexadecimal digits: equal exactly when the fields are."""
        lines = ["allow", *sorted(self.allow), "deny", *sorted(self.deny)]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]

    def admits(self, caller: frozenset[Principal]) -> bool:
        """Whether the prefilter lets this caller (groups included) pass."""
        return bool(self.allow & caller) and not self.deny & caller


NOBODY = Access()


@dataclass(frozen=True, slots=True)
class AccessRules:
    """What one folder's access file says: its own policy, metadata below it, and rules for single documents."""

    policy: Policy = INHERIT
    metadata: dict[str, str] = field(default_factory=dict)
    documents: dict[str, "DocumentRule"] = field(default_factory=dict)
    problem: str | None = None
    """Why the file could not be used; then `policy` is UNREADABLE."""


@dataclass(frozen=True, slots=True)
class DocumentRule:
    """What a folder's access file says of one document in it."""

    policy: Policy = INHERIT
    metadata: dict[str, str] = field(default_factory=dict)
