"""Look at folders: read the access file, compare the folder's revision, store policy, metadata and document rules.

Locks when storing: the folder, documents whose rule changed, then, for a widening only, the access clock.
"""

import dataclasses
import logging
from collections.abc import Mapping
from typing import Any

from ingest.catalog import access_clock, access_work, documents, folders, generations, inbox, indexing, policies
from ingest.catalog.database import AnyRow, Connection, Database, now
from ingest.errors import SourceUnsettled, Transient
from ingest.failpoints import failpoint
from ingest.indexing import below, folder_moves
from ingest.indexing.accept import Acceptor
from ingest.indexing.look import LookOutcome, LookSettings
from ingest.model.access import UNREADABLE, AccessRules, Policy
from ingest.model.policy_rules import document_policy, rule_metadata, to_json
from ingest.model.source import FolderSeen, Gone
from ingest.ports import ContentSource

log = logging.getLogger(__name__)

VANISHED = "the access file was there and is gone; nobody reads below until a second look"


class FolderLook:
    """Looks at whatever folders are due."""

    def __init__(
        self,
        database: Database,
        sources: Mapping[int, ContentSource],
        acceptor: Acceptor,
        settings: LookSettings,
        second_look_s: float = 0.5,
    ) -> None:
        self._database = database
        self._sources = sources
        self._acceptor = acceptor
        self._settings = settings
        self._second_look_s = second_look_s

    def drain(self) -> dict[LookOutcome, int]:
        """Look at one claim of due folders; counts by outcome. Empty when none was due."""
        counts: dict[LookOutcome, int] = {}
        with self._database.write() as tx:
            claimed = folders.claim_looks(tx, self._settings.batch, self._settings.lease_s)
            for folder_id, token in claimed:
                inbox.lease_folder(tx, folder_id, token)
        for folder_id, token in claimed:
            outcome = self._look(folder_id, token)
            counts[outcome] = counts.get(outcome, 0) + 1
        return counts

    def _look(self, folder_id: int, token: int) -> LookOutcome:
        with self._database.read() as tx:
            row = folders.get(tx, folder_id)
            chain = folders.chains(tx, [folder_id])[folder_id]
            since = now(tx)
        if row.look_token != token or not chain.alive:
            return self._end(folder_id, token, LookOutcome.AGAIN, again_in_s=None)
        source = self._sources.get(row.source_id)
        if source is None:
            return self._end(folder_id, token, LookOutcome.UNAVAILABLE, again_in_s=None)
        try:
            return self._read_and_store(source, row, token, chain.key, since)
        except SourceUnsettled:
            return self._end(folder_id, token, LookOutcome.AGAIN, again_in_s=self._settings.again_s)
        except Transient:
            return self._end(folder_id, token, LookOutcome.UNAVAILABLE, again_in_s=self._settings.unavailable_s)

    def _read_and_store(self, source: ContentSource, row: AnyRow, token: int, key: str, since: float) -> LookOutcome:
        failpoint("folder_look.before_read")
        seen = source.folder(key)
        failpoint("folder_look.after_read")
        if isinstance(seen, Gone):
            return self._conclude_gone(source, row, token, since)
        if row.looked_at is None and folder_moves.adopt(self._database, self._acceptor, source, row, seen):
            return LookOutcome.MOVED
        self._hint_below(source, row, seen, key)
        return self._store(row, token, seen)

    def _end(self, folder_id: int, token: int, outcome: LookOutcome, *, again_in_s: float | None) -> LookOutcome:
        with self._database.write() as tx:
            folders.release_look(tx, folder_id, token, again_in_s=again_in_s)
        return outcome

    def _conclude_gone(self, source: ContentSource, row: AnyRow, token: int, since: float) -> LookOutcome:
        if row.parent_id is None:
            # a root that is not there says nothing about what was in it
            return self._end(row.id, token, LookOutcome.UNAVAILABLE, again_in_s=self._settings.unavailable_s)
        if folder_moves.give_heir(self._database, self._acceptor, source, row, since):
            return LookOutcome.MOVED
        with self._database.write() as tx:
            # A folder takes all below it along, with the events that wait there, if they told of nothing newer:
            #   1) a look finds the folder gone
            #   2) it comes back, and a document in it is hinted at, perhaps looked at: no revision of the folder moves
            #   3) the look ends the folder with all that is in it: nobody looks at the document again
            # So anything that came up below since before 1) has the folder looked at again.
            # Found by tests/property/test_protocol.py (P5).
            known = folders.changed(tx, row.id, row.revision)
            if not known or inbox.news_below(tx, [row.id, *folders.subtree(tx, row.id)], since):
                folders.release_look(tx, row.id, token, again_in_s=self._settings.again_s)
                return LookOutcome.AGAIN
            ended = folders.delete(tx, row.id)
            inbox.end_folders(tx, ended, outcome="deleted")
            failpoint("folder_look.before_end")
        log.info("folder deleted", extra={"event": "folder.deleted", "folder": row.id, "folders": len(ended)})
        return LookOutcome.DELETED

    def _hint_below(self, source: ContentSource, row: AnyRow, seen: FolderSeen, key: str) -> None:
        if row.looked_at is None:
            return
        if row.inode is not None and (row.device, row.inode) != (seen.identity.device, seen.identity.inode):
            below.hint_everything(self._database, self._acceptor, source, row, key)
            return
        with self._database.read() as tx:
            before = policies.policy_of(tx, "f", row.id)
        if not _effective(row, seen).only_narrows(before) or to_json(seen.rules) != row.document_rules:
            below.hint_changed(self._database, self._acceptor, source, row, key)

    def _store(self, row: AnyRow, token: int, seen: FolderSeen) -> LookOutcome:
        vanished = row.has_access_file and not seen.has_access_file
        policy = _effective(row, seen)
        with self._database.write() as tx:
            before = policies.policy_of(tx, "f", row.id)
            rules = {} if vanished else to_json(seen.rules)
            problem = VANISHED if vanished else seen.rules.problem
            if not folders.changed(tx, row.id, row.revision, **_values(seen, policy, rules, problem)):
                folders.release_look(tx, row.id, token, again_in_s=0.0)
                return LookOutcome.AGAIN
            failpoint("folder_look.after_compare")
            if policy != before:
                policies.write_entries(tx, "f", row.id, policy)
                access_work.leave(tx, row.id)
            widened = self._apply_rules(tx, row, rules)
            if widened or not policy.only_narrows(before):
                clock = access_clock.advance(tx)
                folders.stamp(tx, row.id, clock)
                for document_id in widened:
                    documents.stamp(tx, document_id, clock)
            if row.looked_at is not None and (seen.rules.metadata != row.metadata):
                documents.make_due_below(tx, folders.subtree(tx, row.id))
            inbox.complete_folder(tx, row.id, token, outcome="stored")
            again = self._second_look_s if vanished else 0.0 if inbox.folder_waits(tx, row.id) else None
            folders.release_look(tx, row.id, token, again_in_s=again)
        failpoint("folder_look.after_commit")
        return LookOutcome.STORED

    def _apply_rules(self, tx: Connection, row: AnyRow, rules: dict[str, Any]) -> list[int]:
        """Give documents whose rule changed their policy; returns those whose access may have widened."""
        old: dict[str, Any] = row.document_rules
        names = [name for name in {*old, *rules} if old.get(name) != rules.get(name)]
        widened: list[int] = []
        for document in documents.named(tx, row.id, names):
            after = UNREADABLE if document.closed else document_policy(rules, document.name)
            before = policies.policy_of(tx, "d", document.id)
            documents.set_policy(tx, document.id, after.kind)
            policies.write_entries(tx, "d", document.id, after)
            for generation in generations.maintained(tx):
                indexing.make_access_due(tx, generation.id, [document.id])
            if rule_metadata(old, document.name) != rule_metadata(rules, document.name):
                documents.make_due(tx, document.id)
            if not after.only_narrows(before):
                widened.append(document.id)
        return widened


def _effective(row: AnyRow, seen: FolderSeen) -> Policy:
    if row.has_access_file and not seen.has_access_file:
        return UNREADABLE
    return _policy(seen.rules)


def _policy(rules: AccessRules) -> Policy:
    return UNREADABLE if rules.problem else rules.policy


def _values(seen: FolderSeen, policy: Policy, rules: dict[str, Any], problem: str | None) -> dict[str, Any]:
    return {
        "policy": policy.kind,
        "problem": problem,
        "metadata": seen.rules.metadata,
        "document_rules": rules,
        "has_access_file": seen.has_access_file,
        "device": seen.identity.device,
        "inode": seen.identity.inode,
        "looked_at": folders.NOW,
        "access_file": dataclasses.asdict(seen.access_file) if seen.access_file else None,
    }
