"""Embed: vectors for the embedding inputs that this model has never seen.

Looks the cache up itself, computes what is missing (unique, longest first), checks every answer and stores it per model
call, so that a crash costs at most the call in flight.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ingest.catalog import embeddings
from ingest.catalog.database import Database
from ingest.errors import InputRejected, Transient
from ingest.failpoints import failpoint
from ingest.model.chunk import Chunk, InputHash
from ingest.ports import EmbeddingModel, FloatMatrix

Vectors = Mapping[InputHash, NDArray[np.float32]]


@dataclass(slots=True)
class Embedded:
    """What an embedding pass did."""

    computed: int = 0
    reused: int = 0
    rejected: dict[InputHash, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Embedder:
    """Fills the cache for one model. `call_inputs` texts go into one call."""

    database: Database
    model: EmbeddingModel
    call_inputs: int = 128

    def embed_missing(self, chunks: Iterable[Chunk]) -> Embedded:
        """Compute and keep the vectors that the cache lacks; inputs the model refuses are named, not raised.

        Raises ModelBusy or StoreUnavailable: what was computed until then is kept.
        """
        inputs = {chunk.input_hash: chunk.embedding_input for chunk in chunks}
        with self.database.read() as tx:
            missing = embeddings.missing(tx, self.model.fingerprint, inputs.keys())
        done = Embedded(reused=len(inputs) - len(missing))
        order = sorted(missing, key=lambda h: (len(inputs[h]), h))
        for start in range(0, len(order), self.call_inputs):
            self._call(order[start : start + self.call_inputs], inputs, done)
        return done

    def load(self, chunks: Iterable[Chunk]) -> Vectors:
        """The cached vectors of chunks.

        Raises Transient when one was forgotten since it was found in the cache: the next attempt computes it again.
        """
        wanted = {chunk.input_hash for chunk in chunks}
        with self.database.read() as tx:
            found = embeddings.load(tx, self.model.fingerprint, wanted)
        if found.keys() < wanted:
            raise Transient("a vector was forgotten while it was about to be used; it is computed again")
        return found

    def _call(self, hashes: Sequence[InputHash], inputs: Mapping[InputHash, str], done: Embedded) -> None:
        if not hashes:
            return
        try:
            matrix = self.model.embed_passages([inputs[h] for h in hashes])
        except InputRejected as error:
            done.rejected[hashes[error.row]] = error.reason
            self._call([h for i, h in enumerate(hashes) if i != error.row], inputs, done)
            return
        if matrix.shape != (len(hashes), self.model.dimension):
            self._alone(hashes, inputs, done, matrix)
            return
        wrong = {h: reason for h, row in zip(hashes, matrix, strict=True) if (reason := _wrong(row))}
        done.rejected |= wrong
        vectors = {h: row for h, row in zip(hashes, matrix, strict=True) if h not in wrong}
        failpoint("embed.before_commit")
        with self.database.write() as tx:
            embeddings.store(tx, self.model.fingerprint, vectors)
        failpoint("embed.after_commit")
        done.computed += len(vectors)

    def _alone(
        self, hashes: Sequence[InputHash], inputs: Mapping[InputHash, str], done: Embedded, matrix: FloatMatrix
    ) -> None:
        """The answer has the wrong shape and rows cannot be told apart: ask one by one, so one text alone fails."""
        if len(hashes) == 1:
            done.rejected[hashes[0]] = f"the model answered shape {matrix.shape}, not (1, {self.model.dimension})"
            return
        for h in hashes:
            self._call([h], inputs, done)


def _wrong(row: NDArray[np.float32]) -> str:
    if not np.isfinite(row).all():
        return "the model answered numbers that are not finite"
    if not row.any():
        return "the model answered a vector of zeros"
    return ""
