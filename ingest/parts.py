"""The parts of an installation, each opened when it is first asked for: what `lockstep doctor` looks at.

`bootstrap` opens everything or nothing; here a part that is down keeps nobody from the others. Makes nothing: no
catalog, no generation, no index.
"""

from collections.abc import Mapping
from functools import cached_property

from ingest.bootstrap import open_database, open_directory, open_lexical, open_model, open_source, open_vector
from ingest.catalog import generations, migrate
from ingest.catalog.database import Database
from ingest.catalog.generations import Generation
from ingest.errors import Refused
from ingest.lockstep import Source
from ingest.ports import Directory, EmbeddingModel, LexicalIndex, VectorIndex
from ingest.settings import Settings


class Parts:
    """Each part raises its own errors when it is asked for. Close it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def close(self) -> None:
        """Release what was opened."""
        for name in ("lexical", "vector", "database"):
            if name in self.__dict__:
                self.__dict__[name].close()

    @cached_property
    def database(self) -> Database:
        """The catalog's database; nothing is sent yet. Raises Refused when the embedded one was never made."""
        if not self.settings.catalog.get_secret_value() and not (self.settings.data / "catalog.db").exists():
            raise Refused(f"there is no catalog in {self.settings.data} yet: `lockstep run --once` makes it")
        return open_database(self.settings)

    @cached_property
    def generation(self) -> Generation:
        """The active generation. Raises Refused when there is none."""
        with self.database.read() as tx:
            at = migrate.current(tx)
            known = generations.active(tx) if at == migrate.head() else None
        if known is None:
            state = "empty" if at is None else f"at revision {at}, this version's is {migrate.head()}"
            raise Refused(f"the catalog is {state}: `lockstep run --once` brings it up to date")
        return known

    @cached_property
    def model(self) -> EmbeddingModel:
        """The configured model."""
        return open_model(self.settings.model)

    @cached_property
    def lexical(self) -> LexicalIndex:
        """The active generation's index of words."""
        return open_lexical(self.settings, self.generation)

    @cached_property
    def vector(self) -> VectorIndex:
        """The active generation's index of vectors."""
        return open_vector(self.settings, self.generation)

    @property
    def sources(self) -> tuple[Source, ...]:
        """The configured sources."""
        return tuple(Source(0, name, open_source(name, knobs)) for name, knobs in self.settings.sources.items())

    @property
    def directories(self) -> Mapping[str, Directory]:
        """The configured directories of people and groups."""
        return {name: open_directory(name, path) for name, path in self.settings.directories.items()}
