"""Every knob with its default and unit. One YAML file and the environment; nothing else is read.

`LOCKSTEP_` and the path of a key joined by `__` overrides the file: `LOCKSTEP_MODEL__THREADS=4`.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from ingest.errors import SettingsInvalid
from ingest.model.codes import DEFAULT_CODE_PATTERN


class Section(BaseModel):
    """A part of the settings; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SqliteLexical(Section):
    """The embedded lexical index: SQLite FTS5 in a file of its own."""

    kind: Literal["sqlite"] = "sqlite"


class OpenSearchLexical(Section):
    """An OpenSearch cluster."""

    kind: Literal["opensearch"]
    hosts: tuple[str, ...]
    shards: int = 1
    replicas: int = 0
    refresh_interval_s: float = 0.2


class EdgeVector(Section):
    """The embedded vector index: Qdrant's engine in this process."""

    kind: Literal["edge"] = "edge"
    optimise_after: int = 20_000
    """Points that may wait for the search graph before a copy of the shard is optimised in a child process."""


class QdrantVector(Section):
    """A Qdrant server, 1.19 or newer."""

    kind: Literal["qdrant"]
    url: str
    api_key: SecretStr | None = None
    shards: int = 1
    replicas: int = 1


class ModelSettings(Section):
    """The embedding model."""

    kind: Literal["onnx", "sentence-transformers", "openai-compatible"] = "onnx"
    name: str = ""
    """A known model, or what people call it; empty = the default of its kind."""
    directory: Path | None = None
    """Where the model's files lie, when no package brings them."""
    hub: str = ""
    """Its name at a model hub, instead of a directory."""
    threads: int = 2
    base_url: str = ""
    key: SecretStr | None = None
    tokenizer: Path | None = None
    dimension: int | None = None
    """What follows overrides a known model's own; a model that is not known must name dimension and max_tokens."""
    max_tokens: int | None = None
    passage_prompt: str | None = None
    query_prompt: str | None = None

    def stated(self) -> dict[str, Any]:
        """What is stated of dimension, max_tokens and the prompts."""
        shape = ("dimension", "max_tokens", "passage_prompt", "query_prompt")
        return {key: getattr(self, key) for key in shape if getattr(self, key) is not None}

    def shape(self) -> dict[str, Any]:
        """The same for a model that is not known, prompts empty by default. Raises SettingsInvalid."""
        stated = self.stated()
        missing = [key for key in ("dimension", "max_tokens") if key not in stated]
        if missing:
            raise SettingsInvalid(f"model: {' and '.join(missing)} must be stated for a model that is not known")
        return {"passage_prompt": "", "query_prompt": ""} | stated


class DirectorySource(Section):
    """A directory tree of Markdown and text files."""

    kind: Literal["directory"] = "directory"
    path: Path
    include: tuple[str, ...] = ("**/*.md", "**/*.markdown", "**/*.txt")
    exclude: tuple[str, ...] = ()
    allow: tuple[str, ...] | None = None
    """Who may read the root when it has no access file; none = nobody."""
    deny: tuple[str, ...] = ()
    directory: str = "local"
    """The directory whose principals its policies name without a prefix."""
    fallback_encoding: str = ""
    max_age_s: Annotated[float, Field(gt=0)] | None = None
    """How old the last complete scan may be before nobody reads; none = any age."""
    polling: bool = False
    """Watch by polling: network mounts send no events."""


class IndexingSettings(Section):
    """Times in seconds."""

    batch: Annotated[int, Field(ge=1)] = 64
    batch_after_crash: Annotated[int, Field(ge=1)] = 8
    lease_s: float = 60.0
    heartbeat_s: float = 15.0
    attempts_alone: int = 3
    backoff_s: float = 1.0
    backoff_most_s: float = 300.0
    call_inputs: int = 128
    """Texts in one call of the model."""
    codes: str = DEFAULT_CODE_PATTERN
    filterable: tuple[str, ...] = ("category", "language")
    """Metadata that searches can filter by."""


class SearchSettings(Section):
    """How far a search goes."""

    candidates: Annotated[int, Field(ge=1)] = 50
    candidates_most: Annotated[int, Field(ge=1)] = 1_000
    closure_limit: Annotated[int, Field(ge=1)] = 2_000


class WatchSettings(Section):
    """Times in seconds."""

    settle_s: float = 0.05
    quiet_s: float = 0.5
    settle_max_s: float = 5.0
    scan_every_s: float = 600.0
    hold_share: float = 0.3
    hold_least: int = 10


class UpkeepSettings(Section):
    """Times in seconds."""

    grace_s: float = 60.0
    sample_s: float = 5.0
    second_delete_s: float = 86_400.0
    flush_s: float = 3.0
    retention_s: float = 30 * 86_400.0


class Settings(BaseSettings):
    """All of it. `data` is where the embedded stores live, relative to the settings file."""

    model_config = SettingsConfigDict(
        env_prefix="LOCKSTEP_",
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        nested_model_default_partial_update=True,
    )

    data: Path = Path(".lockstep")
    catalog: SecretStr = SecretStr("")
    """A PostgreSQL URL; empty = SQLite in `data`."""
    lexical: Annotated[SqliteLexical | OpenSearchLexical, Field(discriminator="kind")] = SqliteLexical()
    vector: Annotated[EdgeVector | QdrantVector, Field(discriminator="kind")] = EdgeVector()
    model: ModelSettings = ModelSettings()
    sources: dict[str, DirectorySource] = Field(default_factory=dict)
    directories: dict[str, Path] = Field(default_factory=dict)
    """Directories of people and groups: name to a groups file."""
    user: str = ""
    """Who asks when a search names nobody, such as `user:ann`; empty = only what is public."""
    indexing: IndexingSettings = IndexingSettings()
    search: SearchSettings = SearchSettings()
    watch: WatchSettings = WatchSettings()
    upkeep: UpkeepSettings = UpkeepSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment before the file (whose values come as arguments); no other source."""
        del settings_cls, dotenv_settings, file_secret_settings
        return env_settings, init_settings

    @property
    def embedded(self) -> bool:
        """Whether any store lives in `data`, which then has one opener."""
        return not self.catalog.get_secret_value() or self.lexical.kind == "sqlite" or self.vector.kind == "edge"

    @property
    def catalog_url(self) -> str:
        """The database of the catalog."""
        return self.catalog.get_secret_value() or f"sqlite:///{self.data / 'catalog.db'}"
