"""The reader's deciding statement: which candidates a caller may be given, at one epoch, by the access of now.

One statement, so that folder policies, memberships and validity are read at one moment; the caller's group closure is
expanded again inside it and nothing from the prefilter is reused (DESIGN §3.3). One text serves both databases.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Text, TextClause, bindparam, column, text
from sqlalchemy.sql.selectable import TextualSelect

from ingest.catalog.folders import MAX_DEPTH
from ingest.catalog.tables import RecordKey, records
from ingest.model.principal import Principal
from ingest.model.record import RecordId

# me          the caller and its groups, nested ones included, one more than allowed at most
# candidate   records of this generation, valid at this epoch, of live documents and trusted sources
# chain       every candidate's folder upwards, at most MAX_DEPTH steps
# folder_hit  which of those folders name the caller; document_hit: which of the documents do
# nearest     per leaf folder: depth of the nearest stated policy, whether anything is broken, whether a root is reached
# rule        per leaf folder: denied anywhere, allowed by the nearest stated policy, the newest stamp of a widening
# stamped     the newest stamp on an edge of the caller's closure, removed edges included
_RULES = """
WITH RECURSIVE
closure(id) AS (
  SELECT p.id FROM principals p WHERE p.name IN :caller
  UNION
  SELECT m.group_id FROM closure c JOIN memberships m ON m.member_id = c.id
),
me AS MATERIALIZED (SELECT id FROM closure LIMIT :closure_limit + 1),
candidate AS MATERIALIZED (
  SELECT r.id, r.document_id, r.to_epoch, r.stale_since, d.folder_id, d.policy, d.opened_at, i.behind_at
  FROM records r
  JOIN documents d ON d.id = r.document_id
  JOIN sources s ON s.id = d.source_id
  JOIN indexing i ON i.generation_id = r.generation_id AND i.document_id = r.document_id
  WHERE r.id IN :ids AND r.generation_id = :generation
    AND r.from_epoch <= :epoch AND (r.to_epoch IS NULL OR r.to_epoch > :epoch)
    AND d.deleted_at IS NULL AND NOT d.hidden AND d.policy <> 'unreadable' AND s.state = 'live'
    AND (s.max_age_s IS NULL OR s.synced_at >= :now_expression - s.max_age_s)
),
chain(leaf, depth, id, parent_id, policy, dead, opened_at) AS (
  SELECT f.id, 0, f.id, f.parent_id, f.policy, CASE WHEN f.deleted_at IS NULL THEN 0 ELSE 1 END, f.opened_at
  FROM (SELECT DISTINCT folder_id FROM candidate) leaf JOIN folders f ON f.id = leaf.folder_id
  UNION ALL
  SELECT c.leaf, c.depth + 1, f.id, f.parent_id, f.policy, CASE WHEN f.deleted_at IS NULL THEN 0 ELSE 1 END, f.opened_at
  FROM chain c JOIN folders f ON f.id = c.parent_id WHERE c.depth < :max_depth
),
folder_hit AS MATERIALIZED (
  SELECT e.object_id,
    max(CASE WHEN e.effect = 'a' THEN 1 ELSE 0 END) AS allowed,
    max(CASE WHEN e.effect = 'd' THEN 1 ELSE 0 END) AS denied
  FROM (SELECT DISTINCT id FROM chain) n JOIN policy_entries e ON e.kind = 'f' AND e.object_id = n.id
  WHERE e.principal_id IN (SELECT id FROM me) GROUP BY e.object_id
),
document_hit AS MATERIALIZED (
  SELECT e.object_id,
    max(CASE WHEN e.effect = 'a' THEN 1 ELSE 0 END) AS allowed,
    max(CASE WHEN e.effect = 'd' THEN 1 ELSE 0 END) AS denied
  FROM (SELECT DISTINCT document_id FROM candidate) n
  JOIN policy_entries e ON e.kind = 'd' AND e.object_id = n.document_id
  WHERE e.principal_id IN (SELECT id FROM me) GROUP BY e.object_id
),
nearest AS MATERIALIZED (
  SELECT leaf, min(CASE WHEN policy = 'stated' THEN depth END) AS stated_at,
    max(CASE WHEN dead = 1 OR policy = 'unreadable' THEN 1 ELSE 0 END) AS broken,
    max(CASE WHEN parent_id IS NULL THEN 1 ELSE 0 END) AS rooted, max(opened_at) AS opened_at
  FROM chain GROUP BY leaf
),
rule AS MATERIALIZED (
  SELECT n.leaf, n.broken, n.rooted, n.opened_at, max(coalesce(h.denied, 0)) AS denied,
    max(CASE WHEN c.depth = n.stated_at THEN coalesce(h.allowed, 0) ELSE 0 END) AS allowed
  FROM nearest n JOIN chain c ON c.leaf = n.leaf LEFT JOIN folder_hit h ON h.object_id = c.id
  GROUP BY n.leaf, n.broken, n.rooted, n.opened_at
),
stamped AS MATERIALIZED (
  SELECT max(at) AS at FROM (
    SELECT max(m.granted_at) AS at FROM memberships m WHERE m.member_id IN (SELECT id FROM me)
    UNION ALL
    SELECT max(t.removed_at) AS at FROM membership_tombstones t WHERE t.member_id IN (SELECT id FROM me)
  ) stamps
),
allowed AS (
  SELECT c.id, CASE WHEN c.to_epoch IS NULL THEN 0 ELSE 1 END AS closed,
    CASE WHEN c.to_epoch IS NULL THEN c.behind_at ELSE coalesce(c.stale_since, -1) END AS stale_at,
    CASE WHEN u.opened_at > c.opened_at THEN u.opened_at ELSE c.opened_at END AS opened_at
  FROM candidate c JOIN rule u ON u.leaf = c.folder_id LEFT JOIN document_hit h ON h.object_id = c.document_id
  WHERE u.rooted = 1 AND u.broken = 0 AND u.denied = 0 AND coalesce(h.denied, 0) = 0
    AND CASE WHEN c.policy = 'stated' THEN coalesce(h.allowed, 0) ELSE u.allowed END = 1
),
header AS (
  SELECT (SELECT count(*) FROM me) AS groups, (SELECT horizon FROM generations WHERE id = :generation) AS horizon
),
verdict AS (
  SELECT a.id, a.closed,
    CASE WHEN a.stale_at IS NULL OR (a.opened_at <= a.stale_at AND coalesce(s.at, 0) <= a.stale_at)
         THEN 0 ELSE 1 END AS pending
  FROM allowed a CROSS JOIN stamped s
)
"""

_SEEN = "SELECT h.groups, h.horizon, v.id, v.closed, v.pending FROM header h LEFT JOIN verdict v ON 1 = 1"

_DECIDE = _RULES + _SEEN

_DECIDE_WITH_TEXT = (
    _RULES
    + """
SELECT h.groups, h.horizon, v.id, v.closed, v.pending, r.body, r.heading, r.since_version, r.document_id
FROM header h LEFT JOIN verdict v ON 1 = 1 LEFT JOIN records r ON r.id = v.id
"""
)

_NOW = {
    "postgresql": "extract(epoch FROM statement_timestamp())",
    "sqlite": "((julianday('now') - 2440587.5) * 86400.0)",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A candidate that the access of now allows.

    `pending`: its text was already known to be out of date when access was widened, so it is left out.
    The last four fields are filled only when asked for with the text.
    """

    id: RecordId
    closed: bool
    pending: bool
    text: str = ""
    heading_path: tuple[str, ...] = ()
    since_version: int = 0
    document_id: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """`horizon` above the reader's epoch: start again. `groups` above the limit: refuse. None: no such generation."""

    groups: int
    horizon: int | None
    verdicts: tuple[Verdict, ...]


def _statement(sql: str, dialect: str, with_text: bool) -> TextualSelect:
    bound: TextClause = text(sql.replace(":now_expression", _NOW[dialect])).bindparams(
        bindparam("ids", type_=RecordKey, expanding=True),
        # typed, since PostgreSQL refuses to compare a name with the untyped empty list of a caller without principals
        bindparam("caller", type_=Text, expanding=True),
    )
    columns: list[Any] = [
        column("groups"),
        column("horizon"),
        column("id", RecordKey),
        column("closed"),
        column("pending"),
    ]
    if with_text:
        columns += [column("body"), column("heading", records.c.heading.type), column("since_version")]
        columns += [column("document_id")]
    return bound.columns(*columns)


_STATEMENTS = {
    (dialect, with_text): _statement(_DECIDE_WITH_TEXT if with_text else _DECIDE, dialect, with_text)
    for dialect in _NOW
    for with_text in (False, True)
}


def decide(
    tx: Connection,
    *,
    generation_id: int,
    epoch: int,
    caller: Collection[Principal],
    candidates: Sequence[RecordId],
    closure_limit: int,
    with_text: bool = False,
) -> Decision:
    """Decide over the union of all candidates at once.

    Candidates that may not be seen are simply absent; so are those not valid at `epoch`. Uses the primary keys of
    records, documents, indexing and folders, policy_entries' key, memberships' key.
    """
    rows = tx.execute(
        _STATEMENTS[tx.dialect.name, with_text],
        {
            "caller": list(caller),
            "closure_limit": closure_limit,
            "ids": list(candidates),
            "generation": generation_id,
            "epoch": epoch,
            "max_depth": MAX_DEPTH,
        },
    ).all()
    verdicts = [_verdict(row, with_text) for row in rows if row.id is not None]
    return Decision(groups=rows[0].groups, horizon=rows[0].horizon, verdicts=tuple(verdicts))


def _verdict(row: Any, with_text: bool) -> Verdict:
    seen = Verdict(RecordId(row.id), bool(row.closed), bool(row.pending))
    if not with_text:
        return seen
    return Verdict(seen.id, seen.closed, seen.pending, row.body, tuple(row.heading), row.since_version, row.document_id)
