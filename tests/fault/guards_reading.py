"""Guards of the reader, each taken away alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from ingest.catalog import decision, principals
from ingest.catalog.database import Connection
from ingest.catalog.decision import Decision
from ingest.model.principal import Principal
from ingest.retrieval import authorizer, searcher
from ingest.retrieval.authorizer import Authorizer
from tests.fault.modules import module_with


@contextmanager
def deciding(old: str, new: str) -> Iterator[None]:
    """The deciding statement with one condition replaced."""
    assert decision._RULES.count(old) == 1, f"the deciding statement has no {old!r} any more"
    changed = decision._RULES.replace(old, new)
    texts = {True: decision._DECIDE_WITH_TEXT, False: decision._DECIDE}
    statements = {
        (dialect, with_text): decision._statement(
            texts[with_text].replace(decision._RULES, changed), dialect, with_text
        )
        for dialect, with_text in decision._STATEMENTS
    }
    with patch.object(decision, "_STATEMENTS", statements):
        yield


@contextmanager
def asking_whether_the_document_is_deleted() -> Iterator[None]:
    with deciding("AND d.deleted_at IS NULL AND NOT d.hidden", "AND NOT d.hidden"):
        yield


@contextmanager
def asking_for_the_folders_above() -> Iterator[None]:
    """Only the document's own folder counts, as if its chain had been copied to it when it was indexed."""
    with deciding("u.rooted = 1 AND u.broken = 0 AND u.denied = 0 AND", "u.denied = 0 AND"):
        yield


@contextmanager
def asking_for_policies() -> Iterator[None]:
    """What the prefilter in the stores lets pass is given."""
    with deciding("AND CASE WHEN c.policy = 'stated' THEN coalesce(h.allowed, 0) ELSE u.allowed END = 1", ""):
        yield


@contextmanager
def comparing_stamps() -> Iterator[None]:
    """Text that was known to be out of date is given under the access of now."""
    with deciding("WHEN a.stale_at IS NULL OR (", "WHEN 1 = 1 OR ("):
        yield


@contextmanager
def comparing_the_horizon() -> Iterator[None]:
    with deciding("(SELECT horizon FROM generations WHERE id = :generation)", "(SELECT 0)"):
        yield


@contextmanager
def expanding_groups_again() -> Iterator[None]:
    """The groups found for the prefilter are reused for the decision."""
    found: dict[str, frozenset[Principal]] = {}

    def closure(tx: Connection, caller: frozenset[Principal], limit: int) -> frozenset[Principal]:
        found["groups"] = principals.closure(tx, caller, limit)
        return found["groups"]

    def reusing(database: Any, _caller: object, *rest: Any) -> Authorizer:
        return Authorizer(database, found["groups"], *rest)

    with (
        patch.object(searcher, "principals", module_with(principals, closure=closure)),
        patch.object(searcher, "Authorizer", reusing),
    ):
        yield


@contextmanager
def reading_groups_and_policies_in_one_statement() -> Iterator[None]:
    """The caller's groups are read by a statement of their own, once a query, and policies by the next ones."""
    found: dict[frozenset[Principal], frozenset[Principal]] = {}

    def decide(tx: Connection, *, caller: frozenset[Principal], closure_limit: int, **rest: Any) -> Decision:
        if caller not in found:
            found[caller] = principals.closure(tx, caller, closure_limit)
        return decision.decide(tx, caller=found[caller], closure_limit=closure_limit, **rest)

    with patch.object(authorizer, "decision", module_with(decision, decide=decide)):
        yield
