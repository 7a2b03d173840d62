"""Indexing rows: what each generation wants, has published, and who holds it. Work is found here, by state."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Double,
    Integer,
    and_,
    bindparam,
    case,
    cast,
    func,
    literal_column,
    or_,
    select,
    update,
)

from ingest.catalog import access_clock
from ingest.catalog.database import AnyRow, db_now, for_change, insert_new
from ingest.catalog.tables import documents, indexing


@dataclass(frozen=True, slots=True)
class Lease:
    """One document held by one worker in one generation, fenced by `token`."""

    document_id: int
    generation_id: int
    token: int
    wanted_version: int
    alone: bool
    attempts_alone: int
    carried: str | None = None
    """When leased for its access fields: the digest that all its records were known to carry."""


@dataclass(frozen=True, slots=True)
class BatchSizes:
    """How many documents a claim takes: at first, after a crash, after a second one."""

    first: int = 64
    after_crash: int = 8
    alone: int = 1

    def of(self, crashes: int) -> int:
        """The size for documents whose last `crashes` leases ended without a verdict."""
        return (self.first, self.after_crash, self.alone)[min(crashes, 2)]


def ensure(tx: Connection, generation_ids: Iterable[int], document_id: int) -> None:
    """Rows for a document in every maintained generation."""
    rows = [{"generation_id": g, "document_id": document_id, "ready_at": 0.0} for g in sorted(generation_ids)]
    if rows:
        tx.execute(insert_new(tx, indexing), rows)


_OF_DOCUMENTS = indexing.c.document_id.in_(bindparam("b_ids", expanding=True))
_LOCK = (
    select(indexing).where(_OF_DOCUMENTS).order_by(indexing.c.document_id, indexing.c.generation_id).with_for_update()
)
_LOCK_IN_ONE = _LOCK.where(indexing.c.generation_id == bindparam("b_generation"))


def lock(tx: Connection, document_ids: Collection[int], generation_id: int | None = None) -> list[AnyRow]:
    """The rows of documents, locked for change, ordered by document and generation."""
    statement = _LOCK if generation_id is None else _LOCK_IN_ONE
    return list(tx.execute(statement, {"b_ids": list(document_ids), "b_generation": generation_id}))


_MARK_BEHIND = update(indexing).where(_OF_DOCUMENTS, indexing.c.behind_at.is_(None))


def mark_behind(tx: Connection, document_ids: Collection[int]) -> int:
    """A change of these documents is known from now on: their text counts as out of date until it is covered.

    Locks the rows first and reads the clock after; returns that value. An older value is kept: it hides more.
    """
    lock(tx, document_ids)
    now = access_clock.read(tx)
    tx.execute(_MARK_BEHIND, {"b_ids": list(document_ids), "behind_at": now})
    return now


_WANT = (
    update(indexing)
    .where(indexing.c.document_id == bindparam("b_document"))
    .values(
        ready_at=case((indexing.c.leased, indexing.c.ready_at), else_=db_now()),
        held=None,
        retries=0,
        attempts=case((indexing.c.held.is_(None), indexing.c.attempts), else_=0),
        attempts_alone=case((indexing.c.held.is_(None), indexing.c.attempts_alone), else_=0),
    )
)


def want(tx: Connection, document_id: int, version: int) -> None:
    """Set a new content version as wanted everywhere. A lease stays; a hold and a backoff end."""
    tx.execute(_WANT, {"b_document": document_id, "wanted_version": version})


def set_behind(tx: Connection, generation_id: int, document_id: int, value: int | None) -> None:
    """Set or empty `behind_at` of a row that is locked already."""
    here = (indexing.c.generation_id == generation_id, indexing.c.document_id == document_id)
    tx.execute(update(indexing).where(*here).values(behind_at=value))


_DUE = and_(
    indexing.c.generation_id == bindparam("b_generation"),
    indexing.c.published_version < indexing.c.wanted_version,
    indexing.c.held.is_(None),
    indexing.c.ready_at <= db_now(),
)
_CRASHES = indexing.c.attempts + case((indexing.c.leased, 1), else_=0)
_LONGEST_DUE = (
    select(indexing.c.document_id, _CRASHES.label("crashes"))
    .where(_DUE)
    .order_by(indexing.c.ready_at)
    .limit(bindparam("b_limit"))
    .with_for_update(skip_locked=True)
)
_TAKE = (
    update(indexing)
    .where(indexing.c.generation_id == bindparam("b_generation"), _OF_DOCUMENTS)
    .values(
        ready_at=db_now() + bindparam("b_lease", type_=Double),
        # counted before the risky work: a worker that dies leaves the mark
        attempts=_CRASHES,
        attempts_alone=indexing.c.attempts_alone + bindparam("b_alone", type_=Integer),
        leased=True,
        lease_token=indexing.c.lease_token + 1,
    )
    .returning(indexing.c.document_id, indexing.c.lease_token, indexing.c.wanted_version, indexing.c.attempts_alone)
)
_KILLED = (
    update(indexing)
    .where(_DUE, indexing.c.leased, indexing.c.attempts_alone >= bindparam("b_attempts"))
    .values(leased=False)
)


def claim(tx: Connection, generation_id: int, *, sizes: BatchSizes, lease_s: float, attempts_alone: int) -> list[Lease]:
    """Lease the longest-due documents that nobody holds; smaller batches, then alone, after leases without a verdict.

    A document whose `attempts_alone` attempts alone all ended without a verdict is held with that reason.
    Locks the rows; served by indexing_due.
    """
    _hold_killers(tx, generation_id, attempts_alone)
    # one statement takes the longest-due documents; those that crashed as often as the first go with it
    rows = tx.execute(_LONGEST_DUE, {"b_generation": generation_id, "b_limit": sizes.first}).all()
    if not rows:
        return []
    first = min(rows[0].crashes, 2)
    ids = [row.document_id for row in rows if min(row.crashes, 2) == first][: sizes.of(first)]
    alone = sizes.of(first) == 1
    taken = {"b_generation": generation_id, "b_ids": ids, "b_lease": lease_s, "b_alone": int(alone)}
    leases = [
        Lease(row.document_id, generation_id, row.lease_token, row.wanted_version, alone, row.attempts_alone)
        for row in tx.execute(_TAKE, taken)
    ]
    return sorted(leases, key=lambda lease: lease.document_id)


def _hold_killers(tx: Connection, generation_id: int, attempts_alone: int) -> None:
    reason = f"its worker died {attempts_alone} times while indexing this document alone; see `lockstep retry`"
    tx.execute(_KILLED, {"b_generation": generation_id, "b_attempts": attempts_alone, "held": reason})


# Without its type, or SQLite is asked for `access_due = 1`, which the partial index on `access_due` does not serve:
# every claim then read all rows. Test: test_sqlite_searches_by_index[claim access]
_ACCESS_DUE: ColumnElement[bool] = literal_column("indexing.access_due")


_LONGEST_ACCESS_DUE = (
    select(indexing.c.document_id, indexing.c.carried_access)
    .where(
        indexing.c.generation_id == bindparam("b_generation"),
        _ACCESS_DUE,
        # A document that is being indexed is patched afterwards. A lease that ran out is free, but where indexing is
        # due its mark is left for the claim of indexing: taken here, a worker's death would never be counted.
        or_(
            indexing.c.leased.is_(False),
            and_(
                indexing.c.ready_at <= db_now(),
                or_(indexing.c.published_version >= indexing.c.wanted_version, indexing.c.held.is_not(None)),
            ),
        ),
    )
    .order_by(indexing.c.ready_at)
    .limit(bindparam("b_limit"))
    .with_for_update(skip_locked=True)
)


def claim_access(tx: Connection, generation_id: int, *, limit: int, lease_s: float) -> list[Lease]:
    """Lease documents whose access fields are due, and that nobody holds.

    Locks the rows; served by indexing_access_due.
    """
    due = tx.execute(_LONGEST_ACCESS_DUE, {"b_generation": generation_id, "b_limit": limit})
    carried = {row.document_id: row.carried_access for row in due}
    if not carried:
        return []
    taken = (
        update(indexing)
        .where(indexing.c.generation_id == generation_id, indexing.c.document_id.in_(list(carried)))
        .values(
            ready_at=db_now() + lease_s,
            leased=True,
            lease_token=indexing.c.lease_token + 1,
            carried_access=None,
        )
        .returning(indexing.c.document_id, indexing.c.lease_token, indexing.c.wanted_version)
    )
    return [
        Lease(
            row.document_id,
            generation_id,
            row.lease_token,
            row.wanted_version,
            alone=False,
            attempts_alone=0,
            carried=carried[row.document_id],
        )
        for row in tx.execute(taken)
    ]


def held_by(tx: Connection, leases: Sequence[Lease]) -> dict[int, AnyRow]:
    """The rows whose token is still the lease's, locked in document order. Others are lost and left out."""
    if not leases:
        return {}
    tokens = {lease.document_id: lease.token for lease in leases}
    # The token is compared here, under the row lock, and not before the work:
    #   1) worker A stages, then stalls until its lease has run out
    #   2) worker B leases the document, publishes a newer version
    #   3) A wakes up and publishes its older one over it
    # B's claim moved the token, so A's row is left out at 3).
    # Test: test_a_worker_that_lost_its_lease_publishes_nothing
    rows = lock(tx, tokens.keys(), leases[0].generation_id)
    return {row.document_id: row for row in rows if row.lease_token == tokens[row.document_id]}


def renew(tx: Connection, leases: Iterable[Lease], lease_s: float) -> None:
    """Heartbeat: leases that are still held end `lease_s` from now."""
    for lease in sorted(leases, key=lambda lease: lease.document_id):
        tx.execute(update(indexing).where(_is(lease)).values(ready_at=db_now() + lease_s))


def release(tx: Connection, leases: Iterable[Lease], *, again_in_s: float = 0.0) -> None:
    """Give leases back with a verdict that is nobody's fault: the attempt does not count."""
    for lease in sorted(leases, key=lambda lease: lease.document_id):
        tx.execute(update(indexing).where(_is(lease)).values(ready_at=db_now() + again_in_s, **_VERDICT))


def end_leases(tx: Connection) -> int:
    """The only process that can hold leases has died: they end now. `leased` stays: the next claim counts a crash."""
    held_now = (indexing.c.leased, indexing.c.ready_at > db_now())
    return tx.execute(update(indexing).where(*held_now).values(ready_at=db_now())).rowcount


def back_off(tx: Connection, leases: Iterable[Lease], *, base_s: float, most_s: float, jitter: float) -> None:
    """Give leases back after a transient error: due again after base · 2^retries, at most `most_s`.

    `jitter` (0 to 1) spreads the wait over its upper half.
    """
    for lease in sorted(leases, key=lambda lease: lease.document_id):
        power = cast(case((indexing.c.retries > 20, 20), else_=indexing.c.retries), Integer)
        doubled = base_s * cast(1, BigInteger).op("<<")(power)
        wait = case((doubled < most_s, doubled), else_=most_s) * (0.5 + jitter / 2)
        values: dict[str, Any] = _VERDICT | {"retries": indexing.c.retries + 1}
        tx.execute(update(indexing).where(_is(lease)).values(ready_at=db_now() + wait, **values))


def hold(tx: Connection, lease: Lease, reason: str) -> None:
    """Hold a document with its reason: its old version stays searchable, a new version ends the hold."""
    tx.execute(update(indexing).where(_is(lease)).values(ready_at=db_now(), held=reason, **_VERDICT))


_VERDICT: dict[str, Any] = {"leased": False, "attempts": 0, "attempts_alone": 0}


def _is(lease: Lease) -> Any:
    return and_(
        indexing.c.generation_id == lease.generation_id,
        indexing.c.document_id == lease.document_id,
        indexing.c.lease_token == lease.token,
    )


_LEASED = update(indexing).where(
    indexing.c.generation_id == bindparam("b_generation"),
    indexing.c.document_id == bindparam("b_document"),
    indexing.c.lease_token == bindparam("b_token"),
)
_EMPTY_CARRIED = _LEASED.values(carried_access=None, access_due=True)
_SET_CARRIED = _LEASED.values(ready_at=db_now(), leased=False)


def _named(lease: Lease) -> dict[str, Any]:
    return {"b_generation": lease.generation_id, "b_document": lease.document_id, "b_token": lease.token}


def empty_carried(tx: Connection, leases: Iterable[Lease]) -> None:
    """Every attempt, staging or patching, empties `carried_access` in its first transaction.

    So access A -> B -> A while an attempt is in flight leaves nothing unnoticed.
    """
    for lease in leases:
        tx.execute(_EMPTY_CARRIED, _named(lease))


_PUBLISHED = (
    update(indexing)
    .where(
        indexing.c.generation_id == bindparam("b_generation"),
        indexing.c.document_id == bindparam("b_document"),
    )
    .values(
        published_version=bindparam("b_version"),
        behind_at=bindparam("b_behind"),
        carried_access=bindparam("b_carried"),
        access_due=bindparam("b_access_due"),
        ready_at=db_now(),
        leased=False,
        attempts=0,
        attempts_alone=0,
        retries=0,
        held=None,
    )
)


def set_published(tx: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """The end of a publish for rows that are locked: generation, document, version, behind, carried, access_due."""
    if rows:
        tx.execute(_PUBLISHED, [{f"b_{key}": value for key, value in row.items()} for row in rows])


def set_carried(tx: Connection, lease: Lease, digest: str | None) -> None:
    """The end of an access patch: carried, or (None) still due. The row is locked and the lease ends."""
    tx.execute(_SET_CARRIED, _named(lease) | {"carried_access": digest, "access_due": digest is None})


_MAKE_ACCESS_DUE = (
    update(indexing).where(_OF_DOCUMENTS, indexing.c.generation_id == bindparam("b_generation")).values(access_due=True)
)


def make_access_due(tx: Connection, generation_id: int, document_ids: Collection[int]) -> None:
    """Have the access fields of documents patched. Waits for whoever holds the rows."""
    if document_ids:
        lock(tx, document_ids, generation_id)
        tx.execute(_MAKE_ACCESS_DUE, {"b_ids": list(document_ids), "b_generation": generation_id})


def doubt_access(tx: Connection, generation_id: int, document_ids: Collection[int]) -> None:
    """Have the access fields of documents patched whatever their records are thought to carry: what repair does."""
    if document_ids:
        lock(tx, document_ids, generation_id)
        unknown = {"b_ids": list(document_ids), "b_generation": generation_id, "carried_access": None}
        tx.execute(_MAKE_ACCESS_DUE, unknown)


def retry(tx: Connection, document_ids: Collection[int] | None = None) -> int:
    """Take holds off, of some documents or of all; returns how many."""
    here: ColumnElement[bool] = indexing.c.held.is_not(None)
    if document_ids is not None:
        here = and_(here, indexing.c.document_id.in_(list(document_ids)))
    values: dict[str, Any] = _VERDICT | {"held": None, "retries": 0, "ready_at": db_now()}
    return tx.execute(update(indexing).where(here).values(**values)).rowcount


def sweep(tx: Connection, generation_id: int, limit: int = 500) -> int:
    """Insert rows that are missing and correct wanted versions that differ from the content's. Returns how many.

    The truth stays with this sweep: whatever else forgot to set a document due, it is found here.
    """
    pair = and_(indexing.c.document_id == documents.c.id, indexing.c.generation_id == generation_id)
    wrong = or_(indexing.c.document_id.is_(None), indexing.c.wanted_version != documents.c.content_version)
    statement = select(documents.c.id, documents.c.content_version).outerjoin(indexing, pair)
    statement = statement.where(documents.c.content_version > 0, wrong).order_by(documents.c.id)
    ids = list(tx.execute(statement.limit(limit)).scalars())
    # Asked again once the documents are locked: a look that stored a newer version in between holds them until it has
    # set that one wanted, and the older one must not be set after it.
    tx.execute(for_change(select(documents.c.id).where(documents.c.id.in_(ids)).order_by(documents.c.id))).all()
    rows = tx.execute(statement.where(documents.c.id.in_(ids))).all()
    for row in rows:
        ensure(tx, [generation_id], row.id)
        want(tx, row.id, row.content_version)
    return len(rows)


def due(tx: Connection, generation_id: int) -> int:
    """How many documents are behind in a generation and not held, leased and waiting ones included."""
    behind = indexing.c.published_version < indexing.c.wanted_version
    here = (indexing.c.generation_id == generation_id, behind, indexing.c.held.is_(None))
    return tx.execute(select(func.count()).select_from(indexing).where(*here)).scalar_one()


def access_due(tx: Connection, generation_id: int) -> int:
    """How many documents wait for their access fields."""
    here = (indexing.c.generation_id == generation_id, _ACCESS_DUE)
    return tx.execute(select(func.count()).select_from(indexing).where(*here)).scalar_one()


def held(tx: Connection, generation_id: int) -> list[tuple[int, str]]:
    """Held documents with their reasons."""
    statement = select(indexing.c.document_id, indexing.c.held).where(
        indexing.c.generation_id == generation_id, indexing.c.held.is_not(None)
    )
    return [(row.document_id, row.held) for row in tx.execute(statement.order_by(indexing.c.document_id))]


def of_document(tx: Connection, generation_id: int, document_id: int) -> AnyRow | None:
    """One row."""
    here = (indexing.c.generation_id == generation_id, indexing.c.document_id == document_id)
    return tx.execute(select(indexing).where(*here)).one_or_none()


def next_ready(tx: Connection, generation_id: int) -> float | None:
    """Seconds until the next document that is behind becomes due; None when none is.

    Served by indexing_due and indexing_access_due: two statements, since one with OR reads every row on SQLite.
    """
    behind = and_(indexing.c.published_version < indexing.c.wanted_version, indexing.c.held.is_(None))
    waits = select(func.min(indexing.c.ready_at) - db_now()).where(indexing.c.generation_id == generation_id)
    found = [tx.execute(waits.where(here)).scalar_one() for here in (behind, _ACCESS_DUE)]
    return min((wait for wait in found if wait is not None), default=None)
