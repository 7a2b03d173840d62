"""Decides over candidates: one statement in the catalog, with the access of now. Nothing of the prefilter is reused."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ingest.catalog import decision
from ingest.catalog.database import Database
from ingest.catalog.decision import Verdict
from ingest.errors import TooManyGroups
from ingest.failpoints import failpoint
from ingest.model.principal import Principal
from ingest.model.record import RecordId


class SnapshotGone(Exception):
    """The reader's epoch can no longer be answered, or a closed text may not be shown: start again at step 1."""


@dataclass(slots=True)
class Authorizer:
    """Decides for one query: one caller, one generation, one epoch."""

    database: Database
    caller: frozenset[Principal]
    generation_id: int
    epoch: int
    closure_limit: int
    allowed: set[RecordId] = field(default_factory=set)
    pending: set[RecordId] = field(default_factory=set)
    _decided: set[RecordId] = field(default_factory=set)

    def decide(self, candidates: Sequence[RecordId]) -> None:
        """Decide over candidates that were not decided on yet, filling `allowed` and `pending`.

        Raises TooManyGroups, or SnapshotGone when the epoch is older than the horizon or a closed text is pending.
        """
        new = [i for i in dict.fromkeys(candidates) if i not in self._decided]
        if not new:
            return
        for verdict in self._ask(new, with_text=False):
            (self.pending if verdict.pending else self.allowed).add(verdict.id)
        self._decided.update(new)

    def texts(self, chosen: Sequence[RecordId]) -> dict[RecordId, Verdict]:
        """The last check, with the text: whatever was revoked since the first is left out."""
        failpoint("reader.before_last_check")
        verdicts = self._ask(chosen, with_text=True)
        self.pending.update(verdict.id for verdict in verdicts if verdict.pending)
        return {verdict.id: verdict for verdict in verdicts if not verdict.pending}

    def _ask(self, ids: Sequence[RecordId], *, with_text: bool) -> tuple[Verdict, ...]:
        with self.database.read() as tx:
            decided = decision.decide(
                tx,
                generation_id=self.generation_id,
                epoch=self.epoch,
                caller=self.caller,
                candidates=ids,
                closure_limit=self.closure_limit,
                with_text=with_text,
            )
        if decided.groups > self.closure_limit:
            raise TooManyGroups(self.closure_limit)
        # A reader slower than the grace period: vacuum may have deleted what its epoch needs. The horizon is compared
        # in the final statement itself, so no clock of this process matters.
        if decided.horizon is None or decided.horizon > self.epoch:
            raise SnapshotGone
        if any(verdict.closed and verdict.pending for verdict in decided.verdicts):
            raise SnapshotGone
        return decided.verdicts
