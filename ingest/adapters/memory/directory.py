"""A directory of people and groups in memory."""

from ingest.adapters.memory.faults import Faults
from ingest.model.principal import Principal
from ingest.model.source import Membership


class MemoryDirectory:
    """Implements `Directory`. Failures come from `faults` (call `memberships`)."""

    def __init__(self) -> None:
        self.faults = Faults()
        self._edges: frozenset[Membership] = frozenset()

    def add(self, group: Principal, *members: Principal) -> None:
        """Let users or groups belong to a group."""
        self._edges |= {Membership(member, group) for member in members}

    def remove(self, group: Principal, *members: Principal) -> None:
        """Let them belong to it no longer; those who did not are ignored."""
        self._edges -= {Membership(member, group) for member in members}

    def memberships(self) -> frozenset[Membership]:
        """See `Directory.memberships`."""
        if fault := self.faults.take("memberships"):
            raise fault.error
        return self._edges
