"""Principals: who a policy speaks of.

A principal is `directory:kind:id` (`local:group:support`, `local:user:ann`) or the one word `public`.
"""

from typing import Final, NewType

from ingest.errors import Refused

Principal = NewType("Principal", str)

PUBLIC: Final = Principal("public")
KINDS: Final = ("user", "group")


def parse_principal(written: str, *, directory: str = "local") -> Principal:
    """Read `public`, `kind:id` (of `directory`) or `directory:kind:id`; `kind` is user or group.

    Raises Refused naming what was written when it is none of these.
    """
    text = written.strip()
    if text == PUBLIC:
        return PUBLIC
    parts = text.split(":", 2)
    if len(parts) == 2:
        parts = [directory, *parts]
    if len(parts) != 3 or parts[1] not in KINDS or not parts[0].strip() or not parts[2].strip():
        raise Refused(f"{written!r} is no principal: write public, user:NAME, group:NAME or directory:kind:id")
    return Principal(":".join(part.strip() for part in parts))


def is_group(principal: Principal) -> bool:
    """Whether the principal may have members."""
    return principal.split(":", 2)[1:2] == ["group"]
