"""The embedding cache: one vector per (fingerprint, embedding input)."""

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, bindparam, delete, exists, select, update

from ingest.catalog.database import db_now, insert_new
from ingest.catalog.tables import embeddings, generations, records
from ingest.model.chunk import InputHash

_PAGE = 500


def load(tx: Connection, fingerprint: str, hashes: Collection[InputHash]) -> dict[InputHash, NDArray[np.float32]]:
    """The cached vectors of inputs."""
    found: dict[InputHash, NDArray[np.float32]] = {}
    for page in _pages(hashes):
        statement = select(embeddings.c.input_hash, embeddings.c.vector).where(
            embeddings.c.fingerprint == fingerprint, embeddings.c.input_hash.in_(page)
        )
        for row in tx.execute(statement):
            found[InputHash(row.input_hash)] = np.frombuffer(row.vector, dtype=np.float32)
    return found


def missing(tx: Connection, fingerprint: str, hashes: Collection[InputHash]) -> set[InputHash]:
    """Those of the inputs that the cache does not hold."""
    have: set[str] = set()
    for page in _pages(hashes):
        statement = select(embeddings.c.input_hash).where(
            embeddings.c.fingerprint == fingerprint, embeddings.c.input_hash.in_(page)
        )
        have |= set(tx.execute(statement).scalars())
    return {h for h in hashes if h not in have}


def store(tx: Connection, fingerprint: str, vectors: Mapping[InputHash, NDArray[np.float32]]) -> None:
    """Keep vectors. One that is there already is left as it is."""
    rows = [
        {"fingerprint": fingerprint, "input_hash": h, "vector": v.astype(np.float32).tobytes(), "used_at": 0.0}
        for h, v in sorted(vectors.items())
    ]
    if rows:
        tx.execute(insert_new(tx, embeddings), rows)
        stamp = update(embeddings).where(
            embeddings.c.fingerprint == fingerprint, embeddings.c.input_hash == bindparam("b_hash")
        )
        tx.execute(stamp.values(used_at=db_now()), [{"b_hash": h} for h in sorted(vectors)])


def drop_unused(tx: Connection, older_than_s: float, limit: int) -> int:
    """Forget vectors stored long ago that no record of a maintained generation uses; returns how many."""
    in_use = (
        exists()
        .where(records.c.input_hash == embeddings.c.input_hash, generations.c.id == records.c.generation_id)
        .where(generations.c.fingerprint == embeddings.c.fingerprint)
    )
    old = (
        select(embeddings.c.fingerprint, embeddings.c.input_hash)
        .where(embeddings.c.used_at < db_now() - older_than_s, ~in_use)
        .limit(limit)
    )
    keys = tx.execute(old).all()
    for key in keys:
        tx.execute(
            delete(embeddings).where(
                embeddings.c.fingerprint == key.fingerprint, embeddings.c.input_hash == key.input_hash
            )
        )
    return len(keys)


def forget(tx: Connection, hashes: Collection[InputHash]) -> None:
    """Forget the vectors of inputs that no record uses any more: what erasing a document asks for."""
    for page in _pages(hashes):
        used = set(tx.execute(select(records.c.input_hash).where(records.c.input_hash.in_(page))).scalars())
        gone = [h for h in page if h not in used]
        tx.execute(delete(embeddings).where(embeddings.c.input_hash.in_(gone)))


def _pages(hashes: Collection[InputHash]) -> list[list[InputHash]]:
    ordered = sorted(set(hashes))
    return [ordered[start : start + _PAGE] for start in range(0, len(ordered), _PAGE)]
