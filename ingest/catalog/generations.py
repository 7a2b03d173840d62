"""Generations: one pair of physical indexes each, with the epoch its readers see."""

import secrets
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, or_, select, update

from ingest.catalog.database import AnyRow, db_now, for_change, insert_new
from ingest.catalog.tables import epoch_samples, generations

MAINTAINED = ("building", "ready", "active", "soaking")
"""States in which live changes reach a generation."""


@dataclass(frozen=True, slots=True)
class Generation:
    """What shaped one pair of indexes."""

    id: int
    suffix: str
    state: str
    epoch: int
    horizon: int
    fingerprint: str
    dimension: int
    chunker: str
    settings: dict[str, Any]


def _read(row: AnyRow) -> Generation:
    return Generation(
        id=row.id,
        suffix=row.suffix,
        state=row.state,
        epoch=row.epoch,
        horizon=row.horizon,
        fingerprint=row.fingerprint,
        dimension=row.dimension,
        chunker=row.settings["chunker"],
        settings=row.settings,
    )


_ACTIVE = select(generations).where(generations.c.state == "active")
_MAINTAINED = select(generations).where(generations.c.state.in_(MAINTAINED)).order_by(generations.c.id)


def active(tx: Connection) -> Generation | None:
    """The generation that readers ask: id, epoch and fingerprint from one row."""
    row = tx.execute(_ACTIVE).one_or_none()
    return _read(row) if row else None


def maintained(tx: Connection) -> list[Generation]:
    """Every generation that live changes reach, by id."""
    return [_read(row) for row in tx.execute(_MAINTAINED)]


def create(tx: Connection, *, state: str, fingerprint: str, dimension: int, settings: dict[str, Any]) -> Generation:
    """A new generation with a random suffix that is never used again. `settings` names the `chunker`."""
    row = {
        "suffix": secrets.token_hex(4),
        "state": state,
        "fingerprint": fingerprint,
        "dimension": dimension,
        "settings": settings,
    }
    return _read(tx.execute(insert(generations).values(row).returning(generations)).one())


def lock_for_publish(tx: Connection, generation_id: int) -> int | None:
    """The epoch of a generation, its row locked until the commit; None while publishing is paused.

    The epoch moves inside the publishing transaction and under this lock, so epochs are published in order.
    """
    open_ = or_(
        generations.c.publishing_paused_until.is_(None),
        generations.c.publishing_paused_until < db_now(),
    )
    statement = select(generations.c.epoch).where(generations.c.id == generation_id, open_)
    return tx.execute(for_change(statement)).scalar_one_or_none()


def set_epoch(tx: Connection, generation_id: int, epoch: int) -> None:
    """Make an epoch the visible one. The row is locked already."""
    tx.execute(update(generations).where(generations.c.id == generation_id).values(epoch=epoch))


def sample_epoch(tx: Connection, generation_id: int) -> None:
    """Note that the epoch of now was the newest at this moment."""
    epoch = tx.execute(select(generations.c.epoch).where(generations.c.id == generation_id)).scalar_one()
    # an epoch that is known keeps its first moment; two processes may note it at once
    tx.execute(insert_new(tx, epoch_samples).values(generation_id=generation_id, epoch=epoch, at=db_now()))


def raise_horizon(tx: Connection, generation_id: int, grace_s: float) -> int:
    """Move the horizon to the newest epoch that was sampled `grace_s` ago, and forget samples before it.

    A reader that is slower than the grace period finds the horizon moved in its final statement and starts again.
    """
    past = tx.execute(
        select(epoch_samples.c.epoch)
        .where(epoch_samples.c.generation_id == generation_id, epoch_samples.c.at <= db_now() - grace_s)
        .order_by(epoch_samples.c.epoch.desc())
        .limit(1)
    ).scalar_one_or_none()
    row = tx.execute(for_change(select(generations.c.horizon).where(generations.c.id == generation_id)))
    horizon = int(row.scalar_one())
    if past is not None and past > horizon:
        horizon = int(past)
        tx.execute(update(generations).where(generations.c.id == generation_id).values(horizon=horizon))
        older = (epoch_samples.c.generation_id == generation_id, epoch_samples.c.epoch < horizon)
        tx.execute(epoch_samples.delete().where(*older))
    return horizon
