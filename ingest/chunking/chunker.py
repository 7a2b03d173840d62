"""The chunker: a text in, passages out, each within what the model takes."""

from collections.abc import Iterator
from typing import Literal

from ingest.chunking.budget import Budget
from ingest.chunking.lines import SourceLines, normalised
from ingest.chunking.markdown import markdown_sections
from ingest.chunking.packing import Packer
from ingest.chunking.plain import plain_sections
from ingest.chunking.sections import Section
from ingest.chunking.settings import DEFAULTS, ChunkerSettings
from ingest.errors import SettingsInvalid
from ingest.model.chunk import Passage
from ingest.ports import TokenCounter

__all__ = ["Chunker", "ChunkerSettings", "Media"]

Media = Literal["markdown", "plain"]

_LEAST_ROOM = 4
_READERS = {"markdown": markdown_sections, "plain": plain_sections}


class Chunker:
    """Cuts texts into passages; stateless, safe under threads."""

    def __init__(self, tokens: TokenCounter, passage_prompt: str, settings: ChunkerSettings = DEFAULTS) -> None:
        """Raises SettingsInvalid when the prompt leaves no room for a text."""
        self._budget = Budget(tokens, passage_prompt)
        self._prompt = passage_prompt
        self._settings = settings
        self._path_room = tokens.limit * settings.path_percent // 100
        self._least = tokens.limit * settings.least_percent // 100
        if self._budget.room(()) - self._path_room < _LEAST_ROOM:
            raise SettingsInvalid(
                f"the embedding model takes {tokens.limit} tokens, too few for its passage prompt and a text: "
                f"shorten the prompt or raise the model's maximum length"
            )

    @property
    def identity(self) -> str:
        """Changes when the same text would be cut differently for the same model (whose fingerprint covers its
        tokenizer, limit and prompt)."""
        return self._settings.version

    def passages(self, text: str, *, media: Media) -> tuple[Passage, ...]:
        """The passages of a text in document order, none of them blank.

        A passage's text is a slice of the text: whole lines, except where a single paragraph or line was too long.
        """
        source = SourceLines(normalised(text))
        return tuple(passage for section in _READERS[media](source) for passage in self._cut(source, section))

    def _cut(self, source: SourceLines, section: Section) -> Iterator[Passage]:
        embedded = self._budget.embedded(section.path, self._path_room)
        return Packer(source, section, embedded, self._budget, self._prompt, self._least).passages()
