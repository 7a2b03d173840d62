"""The protocols between Lockstep's core and the world: few calls, each with its whole promise.

Adapters raise only errors of `ingest.errors`; a vendor's exception never leaves an adapter.
All adapters may be called from several threads at once.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ingest.model.access import Access
from ingest.model.event import Event
from ingest.model.principal import Principal
from ingest.model.record import Candidate, Filters, Record, RecordId, StoredRecord
from ingest.model.server_setting import ServerSetting
from ingest.model.source import DocumentSeen, FileIdentity, FolderSeen, Gone, Listing, Membership

FloatMatrix = NDArray[np.float32]
FloatVector = NDArray[np.float32]


class TokenCounter(Protocol):
    """Counts and cuts in a model's own tokens. Truncation and padding of the tokenizer are off."""

    @property
    def limit(self) -> int:
        """The most tokens one input may have, special tokens included."""
        ...

    def count(self, text: str) -> int:
        """Tokens of `text` as the model would get it, special tokens included."""
        ...

    def cut(self, text: str, limit: int) -> int:
        """The largest character offset whose prefix counts at most `limit` tokens; at least 1 for a non-empty text.

        A piece that ends there may be cut inside a word. The offset never splits a surrogate or combining sequence
        where the tokenizer's own offsets do not.
        """
        ...


class EmbeddingModel(Protocol):
    """Turns texts into vectors of length 1. Passage and query are separate roles."""

    @property
    def name(self) -> str:
        """What people call it, for messages."""
        ...

    @property
    def fingerprint(self) -> str:
        """A hash of everything that shapes a vector: weights, pooling, normalisation, prompts, maximum length,
        numeric format. Vectors of different fingerprints are never compared."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def passage_prompt(self) -> str:
        """What an embedding input must start with. The caller builds inputs (`ingest.model.chunk.embedding_input`)."""
        ...

    @property
    def tokens(self) -> TokenCounter: ...

    def embed_passages(self, inputs: Sequence[str]) -> FloatMatrix:
        """Embed complete embedding inputs, passage prompt included, as they are stored in an index.

        Returns float32 of shape (len(inputs), dimension); row i belongs to inputs[i]; rows have length 1.
        Raises ModelBusy (ask again after `.retry_after_s` seconds), StoreUnavailable (no answer) or
        InputRejected (`.row` says which).
        """
        ...

    def embed_query(self, question: str) -> FloatVector:
        """Embed a question, adding the query prompt itself. Returns float32 of shape (dimension,), length 1.

        Raises as `embed_passages`."""
        ...


class Index(Protocol):
    """What both stores promise. One instance speaks for the physical index of one generation.

    Writes are insert-only: a record under an id that is there already is left as it is and is no error.
    Destructive calls take explicit, non-empty id lists; an empty list is refused with ValueError.
    """

    def create(self) -> None:
        """Make the physical index; nothing happens if it exists and is ours.

        Raises ForeignIndex when something else has its name or its shape, StoreUnavailable, StoreFull.
        """
        ...

    def drop(self) -> None:
        """Remove the physical index; nothing happens if it is gone."""
        ...

    def refresh(self) -> None:
        """When it returns, every record added before the call is found by searches."""
        ...

    def patch_access(self, changes: Mapping[RecordId, Access]) -> Collection[RecordId]:
        """Set the access fields of records by id; returns the ids that are not there (all others are patched).

        Searches see the patch after `refresh` at the latest. Raises StoreUnavailable (ambiguous: read back).
        """
        ...

    def delete(self, ids: Collection[RecordId]) -> None:
        """Delete records by id, tolerating those already gone. Raises ValueError on an empty list."""
        ...

    def ids(self, *, after: RecordId | None, limit: int) -> Sequence[StoredRecord]:
        """A page of what is stored, findable or not, ascending by id, strictly after `after`. For the audit."""
        ...

    def fetch(self, ids: Collection[RecordId]) -> Mapping[RecordId, StoredRecord]:
        """Those of the ids that are stored, findable or not."""
        ...

    def flush(self) -> None:
        """Make what was written survive a power loss, where the store does not do so by itself."""
        ...

    def compact(self) -> bool:
        """Remove deleted words from the files. True when done, False when the server does it in its own time."""
        ...

    def close(self) -> None:
        """Release files, connections and locks."""
        ...


class LexicalIndex(Index, Protocol):
    """BM25 and exact codes."""

    def add(self, records: Sequence[Record], *, findable: bool) -> Mapping[RecordId, str]:
        """Insert records; returns the ids that are refused for good with the reason (all others are stored).

        With `findable`, returns only when searches find them. Raises StoreUnavailable (some may be stored; sending
        again is harmless), GenerationGone, StoreFull.
        """
        ...

    def search(
        self, question: str, *, caller: frozenset[Principal], filters: Filters, limit: int
    ) -> Sequence[Candidate]:
        """The best records by BM25 over text, heading path and codes, best first, ties by id.

        Only records whose access admits the caller and whose metadata pass the filters take a place.
        A question without a usable word gives nothing. Raises StoreUnavailable, GenerationGone.
        """
        ...

    def with_codes(
        self, codes: Sequence[str], *, caller: frozenset[Principal], filters: Filters, limit: int
    ) -> Sequence[Candidate]:
        """Records that carry any of the codes: more distinct codes first, then by id. Same filters as `search`."""
        ...


class VectorIndex(Index, Protocol):
    """Nearest neighbours by cosine. Holds no text."""

    def add(self, records: Sequence[Record], vectors: FloatMatrix, *, findable: bool) -> Mapping[RecordId, str]:
        """Insert records with their vectors, row i for records[i]; otherwise as `LexicalIndex.add`.

        Raises ValueError when a vector has the wrong dimension, is zero or not finite: the embedder checks first.
        """
        ...

    def search(
        self, vector: FloatVector, *, caller: frozenset[Principal], filters: Filters, limit: int
    ) -> Sequence[Candidate]:
        """The records nearest by cosine, best first, ties by id. Filters as in `LexicalIndex.search`."""
        ...


@runtime_checkable
class Optimisable(Protocol):
    """A vector index that searches by comparing with every point until it is told to build its search graph."""

    def needs_optimising(self) -> bool:
        """Whether enough has changed since the last time."""
        ...

    def optimise(self) -> None:
        """Build the graph in a child process while reads and writes go on. Raises StoreFull, StoreUnavailable."""
        ...


@runtime_checkable
class Examinable(Protocol):
    """A store of a server's, whose own settings decide whether what it acknowledged survives a power loss."""

    def examine(self) -> Sequence[ServerSetting]:
        """Those settings as they are now. Raises StoreUnavailable, GenerationGone."""
        ...


class ContentSource(Protocol):
    """A source that can be looked at. Keys are folder names and a name joined by `/`; the root folder is ''.

    Every call raises SourceUnavailable when nothing can be said now (the root is missing, an I/O or permission
    error): the caller then keeps what it knows.
    """

    def document(self, key: str) -> DocumentSeen | Gone:
        """Read a document whole. Raises SourceUnsettled when it changed while it was read, ContentUnreadable when
        its bytes make no text or its front matter is broken."""
        ...

    def folder(self, key: str) -> FolderSeen | Gone:
        """Read a folder's access file. A file that cannot be understood gives rules with a `problem`."""
        ...

    def identity(self, key: str) -> FileIdentity | None:
        """What is at a key now, without reading it; None when nothing that belongs to the source is there."""
        ...

    def listing(self, under: str = "") -> Listing:
        """Walk everything below a folder, whole; what could not be listed is named in `unlisted`."""
        ...


class Watcher(Protocol):
    """Turns changes of a source into hints, as they happen. Hints may be missing or invented."""

    def start(self, accept: Callable[[Sequence[Event]], None]) -> None:
        """Begin; `accept` is called from a thread of the watcher's own with hints that arose together."""
        ...

    def stop(self) -> None: ...

    @property
    def healthy(self) -> bool:
        """False when hints may have been lost since the last call: scan."""
        ...


class Directory(Protocol):
    """People and groups."""

    def memberships(self) -> frozenset[Membership]:
        """All edges, complete. Raises SourceUnavailable when the answer is not complete: nothing is then applied."""
        ...


class Clock(Protocol):
    """A process's own waits. What rows compare is the database's clock."""

    def now(self) -> float:
        """Seconds since some fixed moment; only differences mean anything."""
        ...

    def wait(self, seconds: float) -> None: ...


class Doorbell(Protocol):
    """Wakes whoever drains a queue. A lost ring loses nothing: work is found by state."""

    def ring(self, queue: str) -> None: ...

    def wait(self, queue: str, timeout_s: float) -> bool:
        """True when rung since the last wait, False when the time ran out."""
        ...
