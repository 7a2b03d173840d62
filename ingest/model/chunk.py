"""Chunks: the retrieval unit, its identity, and the exact string a model is given for it."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NewType

ChunkId = NewType("ChunkId", str)
InputHash = NewType("InputHash", str)
HeadingPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """One piece of a document as the chunker cuts it: a slice of whole source lines under a heading path.

    `embedded_path` is the part of `heading_path` that fits into the embedding input (outer headings go first);
    `carried` are header lines of a table that this piece continues, shown and embedded before `text`.
    """

    text: str
    heading_path: HeadingPath = ()
    embedded_path: HeadingPath = ()
    carried: str = ""

    @property
    def shown(self) -> str:
        """The text as readers and stores get it."""
        return f"{self.carried}\n{self.text}" if self.carried else self.text


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of one document, identified by what it says and never by where it stands."""

    id: ChunkId
    passage: Passage
    embedding_input: str
    input_hash: InputHash
    codes: tuple[str, ...]
    metadata: tuple[str, ...]
    """Filterable metadata, `key=value`, sorted."""


def heading_line(path: Sequence[str]) -> str:
    """The heading path as the model and the lexical index see it."""
    return " > ".join(path)


def embedding_input(prompt: str, path: Sequence[str], text: str) -> str:
    """The exact string given to a model: passage prompt, heading path, text."""
    heading = heading_line(path)
    return f"{prompt}{heading}\n{text}" if heading else f"{prompt}{text}"


def hash_input(text: str) -> InputHash:
    """What the embedding cache knows an input by (with the fingerprint)."""
    return InputHash(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def filterable(metadata: Mapping[str, str], keys: Sequence[str]) -> tuple[str, ...]:
    """Metadata that belongs to the record, as sorted `key=value` words."""
    return tuple(sorted(f"{key}={metadata[key]}" for key in keys if metadata.get(key)))


class ChunkNaming:
    """Gives chunks of one document their ids: hash of document, text, heading path, metadata, occurrence.

    The occurrence counts equals from the top, so two equal paragraphs are two chunks. An instance serves one
    document and one pass.
    """

    def __init__(self, document_id: int, metadata: Sequence[str]) -> None:
        self._document_id = document_id
        self._metadata = tuple(metadata)
        self._seen: Counter[str] = Counter()

    def name(self, passage: Passage) -> ChunkId:
        """The id of the next passage in document order."""
        parts = (str(self._document_id), passage.shown, "\x1f".join(passage.heading_path), "\x1f".join(self._metadata))
        said = hashlib.sha256("\x1e".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        self._seen[said] += 1
        return ChunkId(hashlib.sha256(f"{said}\x1e{self._seen[said]}".encode()).hexdigest()[:40])
