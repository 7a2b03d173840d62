"""The only place that chooses adapters. Importing it opens nothing; `bootstrap` opens everything that is configured."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ingest.adapters.doorbell import ThreadDoorbell
from ingest.catalog import generations, marks, records, sources
from ingest.catalog.database import Database
from ingest.catalog.generations import Generation
from ingest.catalog.migrate import upgrade
from ingest.chunking.chunker import Chunker
from ingest.errors import ForeignIndex, GenerationMismatch, SettingsInvalid
from ingest.indexing.chunks import ChunkMaker
from ingest.lockstep import Lockstep, Source
from ingest.model.access import Policy, PolicyKind
from ingest.model.codes import CodePattern
from ingest.model.principal import parse_principal
from ingest.ports import ContentSource, Directory, EmbeddingModel, Index, LexicalIndex, VectorIndex, Watcher
from ingest.settings import DirectorySource, ModelSettings, Settings
from ingest.shape import differing, shape_of, told

log = logging.getLogger(__name__)


def bootstrap(
    settings: Settings,
    *,
    model: EmbeddingModel | None = None,
    lexical: LexicalIndex | None = None,
    vector: VectorIndex | None = None,
) -> Lockstep:
    """Open the installation that settings describe; parts given here replace the configured ones.

    Makes the catalog, the first generation and its indexes when there are none. Raises GenerationMismatch when model
    or chunker no longer fit the stored generation, and what the parts raise.
    """
    model = model or open_model(settings.model)
    chunker = Chunker(model.tokens, model.passage_prompt)
    maker = ChunkMaker(
        chunker, model.passage_prompt, CodePattern(settings.indexing.codes), settings.indexing.filterable
    )
    with ExitStack() as opened:  # what was opened is closed again when the next part refuses
        database = open_database(settings)
        opened.callback(database.close)
        upgrade(database)
        generation = _generation(settings, database, model)
        lexical = lexical or open_lexical(settings, generation)
        opened.callback(lexical.close)
        vector = vector or open_vector(settings, generation)
        opened.callback(vector.close)
        lexical.create()
        _create_vector(settings, database, vector)
        _mend_when_emptied(database, generation, (lexical, vector))
        lockstep = Lockstep(
            settings=settings,
            database=database,
            model=model,
            maker=maker,
            generation=generation,
            lexical=lexical,
            vector=vector,
            sources=_open_sources(settings, database),
            directories={name: open_directory(name, path) for name, path in settings.directories.items()},
            doorbell=ThreadDoorbell(),
        )
        opened.pop_all()
    return lockstep


def open_database(settings: Settings) -> Database:
    """The catalog's database; nothing is sent yet. Raises SettingsInvalid."""
    with _installed("catalog"):
        return Database(settings.catalog_url)


def open_model(settings: ModelSettings) -> EmbeddingModel:
    """The configured embedding model. Raises ModelMissing, SettingsInvalid."""
    # imported here, since one of them brings gigabytes and none is needed with another
    if settings.kind == "onnx":
        from ingest.adapters.onnx.configured import open_onnx  # noqa: PLC0415

        return open_onnx(settings)
    if settings.kind == "sentence-transformers":
        from ingest.adapters.sentence_transformers.configured import open_sentence_transformers  # noqa: PLC0415

        return open_sentence_transformers(settings)
    from ingest.adapters.openai_compatible.configured import open_openai_compatible  # noqa: PLC0415

    return open_openai_compatible(settings)


@contextmanager
def _installed(setting: str) -> Iterator[None]:
    """Raises SettingsInvalid naming what to install when a setting needs a package of the extra `server`."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise SettingsInvalid(
            f"{setting} needs {error.name}, which is not installed: pip install 'lockstep[server]'"
        ) from error


def _generation(settings: Settings, database: Database, model: EmbeddingModel) -> Generation:
    with database.write() as tx:
        known = generations.active(tx)
        if known is None:
            shape = shape_of(settings, model)
            return generations.create(
                tx, state="active", fingerprint=model.fingerprint, dimension=model.dimension, settings=shape
            )
    if names := differing(known, settings, model):
        raise GenerationMismatch(told(known, names))
    return known


def open_lexical(settings: Settings, generation: Generation) -> LexicalIndex:
    """A generation's index of words; nothing is asked of it yet. Raises SettingsInvalid."""
    knobs = settings.lexical
    if knobs.kind == "sqlite":
        from ingest.adapters.sqlite_fts.index import SqliteFtsIndex  # noqa: PLC0415

        return SqliteFtsIndex(settings.data / f"lexical-{generation.suffix}.db")
    with _installed("lexical.kind: opensearch"):
        from ingest.adapters.opensearch.configured import open_opensearch  # noqa: PLC0415

    return open_opensearch(knobs, f"lockstep-{generation.suffix}")


def open_vector(settings: Settings, generation: Generation) -> VectorIndex:
    """A generation's index of vectors; nothing is asked of it yet. Raises SettingsInvalid."""
    knobs = settings.vector
    if knobs.kind == "edge":
        from ingest.adapters.qdrant_edge.configured import open_edge  # noqa: PLC0415

        return open_edge(knobs, settings.data / f"vectors-{generation.suffix}", generation.dimension)
    with _installed("vector.kind: qdrant"):
        from ingest.adapters.qdrant.configured import open_qdrant  # noqa: PLC0415

    return open_qdrant(knobs, f"lockstep-{generation.suffix}", generation.dimension)


def _create_vector(settings: Settings, database: Database, vector: VectorIndex) -> None:
    try:
        vector.create()
    except ForeignIndex as error:
        if settings.vector.kind != "edge":
            raise
        # a shard that does not open is rebuilt: everything in it can be published again from the cache
        log.warning("rebuilding", extra={"event": "start.rebuilding", "store": "vector", "reason": str(error)})
        vector.drop()
        vector.create()
        with database.write() as tx:
            marks.put(tx, marks.RUNNING, "rebuilding")


def _mend_when_emptied(database: Database, generation: Generation, stores: Iterable[Index]) -> None:
    """A store that was lost and is made anew holds nothing of what is published: the start fills it from the cache."""
    with database.read() as tx:
        published = records.open_page(tx, generation.id, None, 1)
    if published and any(not store.ids(after=None, limit=1) for store in stores):
        log.warning("refilling", extra={"event": "start.refilling", "generation": generation.id})
        with database.write() as tx:
            marks.put(tx, marks.RUNNING, "refilling")


def _open_sources(settings: Settings, database: Database) -> tuple[Source, ...]:
    opened = []
    with database.write() as tx:
        for name, knobs in settings.sources.items():
            source_id = sources.ensure(tx, name, knobs.kind, max_age_s=knobs.max_age_s)
            opened.append(Source(source_id, name, open_source(name, knobs)))
    return tuple(opened)


def open_source(name: str, knobs: DirectorySource) -> ContentSource:
    """A configured source; nothing is read yet. Raises SettingsInvalid."""
    from ingest.adapters.filesystem.configured import open_directory_source  # noqa: PLC0415

    return open_directory_source(knobs, root_policy(name, knobs))


def open_watcher(settings: Settings, source: Source) -> Watcher:
    """The watcher of a configured source; nothing is watched yet."""
    from ingest.adapters.filesystem.configured import watch_directory  # noqa: PLC0415

    return watch_directory(settings.sources[source.name], settings.watch, source.content)


def root_policy(name: str, knobs: DirectorySource) -> Policy | None:
    """What the settings state about a source's root; None when they state nothing. Raises SettingsInvalid."""
    if knobs.allow is None and not knobs.deny:
        return None
    try:
        allow = frozenset(parse_principal(p, directory=knobs.directory) for p in knobs.allow or ())
        deny = frozenset(parse_principal(p, directory=knobs.directory) for p in knobs.deny)
    except Exception as error:
        raise SettingsInvalid(f"sources.{name}: {error}") from error
    return Policy(PolicyKind.INHERIT if knobs.allow is None else PolicyKind.STATED, allow, deny)


def open_directory(name: str, path: Path) -> Directory:
    """A configured directory of people and groups; nothing is read yet."""
    from ingest.adapters.filesystem.groups_file import GroupsFile  # noqa: PLC0415

    return GroupsFile(path, directory=name)
