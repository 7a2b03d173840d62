"""From content to chunks: passages get their identity, embedding input and codes."""

from dataclasses import dataclass
from typing import Protocol

from ingest.catalog.contents import Content
from ingest.chunking.words import model_input
from ingest.model.chunk import Chunk, ChunkNaming, Passage, filterable, hash_input, heading_line
from ingest.model.codes import CodePattern
from ingest.model.source import Media


class Cutter(Protocol):
    """What a chunker is to the write path."""

    def passages(self, text: str, *, media: Media) -> tuple[Passage, ...]: ...


@dataclass(frozen=True, slots=True)
class ChunkMaker:
    """Makes chunks as one generation wants them; stateless."""

    cutter: Cutter
    passage_prompt: str
    codes: CodePattern
    filterable_keys: tuple[str, ...]

    def chunks(self, content: Content) -> tuple[Chunk, ...]:
        """The chunks of a document, in order."""
        metadata = filterable(content.metadata, self.filterable_keys)
        naming = ChunkNaming(content.document_id, metadata)
        return tuple(
            self._chunk(passage, naming, metadata)
            for passage in self.cutter.passages(content.text, media=content.media)
        )

    def _chunk(self, passage: Passage, naming: ChunkNaming, metadata: tuple[str, ...]) -> Chunk:
        given = model_input(self.passage_prompt, passage)
        codes = self.codes.find(f"{heading_line(passage.heading_path)}\n{passage.shown}")
        return Chunk(naming.name(passage), passage, given, hash_input(given), codes, metadata)
