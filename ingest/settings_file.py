"""Find and read the settings file; say in one line what is wrong with it and what to write instead."""

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ingest.errors import SettingsInvalid
from ingest.settings import Settings

NAME = "lockstep.yaml"


def find(start: Path) -> Path:
    """The settings file in `start` or the nearest folder above it. Raises SettingsInvalid."""
    for folder in [start.resolve(), *start.resolve().parents]:
        if (folder / NAME).is_file():
            return folder / NAME
    raise SettingsInvalid(f"no {NAME} here or in any folder above: make one with `lockstep init DOCS`")


def load(file: Path) -> Settings:
    """Read a settings file; relative paths in it are relative to its folder.

    Raises SettingsInvalid naming the file, the key and a suggestion.
    """
    try:
        said = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise SettingsInvalid(f"{file}: cannot be read as YAML: {reason}") from error
    if not isinstance(said, dict):
        raise SettingsInvalid(f"{file}: must hold `key: value` lines")
    try:
        settings = Settings(**{str(key): value for key, value in said.items()})
    except ValidationError as error:
        raise SettingsInvalid(f"{file}: {'; '.join(_explain(detail) for detail in error.errors())}") from error
    return _anchored(settings, file.parent)


def _anchored(settings: Settings, folder: Path) -> Settings:
    sources = {
        name: source.model_copy(update={"path": (folder / source.path).resolve()})
        for name, source in settings.sources.items()
    }
    model = settings.model
    for field in ("directory", "tokenizer"):
        path: Path | None = getattr(model, field)
        if path is not None:
            model = model.model_copy(update={field: folder / path})
    return settings.model_copy(
        update={
            "data": folder / settings.data,
            "sources": sources,
            "directories": {name: folder / path for name, path in settings.directories.items()},
            "model": model,
        }
    )


def _explain(detail: ErrorDetails) -> str:
    path, section = _walk([str(part) for part in detail["loc"]])
    key = ".".join(path)
    if detail["type"] == "extra_forbidden":
        known = list(section.model_fields) if section else []
        close = difflib.get_close_matches(path[-1], known, n=1, cutoff=0.4)
        hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(sorted(known))}"
        return f"unknown key {key}: {hint}"
    return f"{key}: {detail['msg']}"


def _walk(path: Sequence[str]) -> tuple[list[str], type[BaseModel] | None]:
    """A place in the settings as people write it, and the section that its last key stands in, as far as types tell.

    The validator names a section with several kinds by its kind (`lexical.opensearch.hosts`): that is no key.
    """
    keys: list[str] = []
    inside: list[type[BaseModel]] = [Settings]
    section: type[BaseModel] | None = None
    for part in path:
        of_kind = [model for model in inside if keys and part in _arguments(_annotation(model, "kind"))]
        if len(inside) > 1 and of_kind:
            inside = of_kind
            continue
        keys.append(part)
        section = inside[0] if inside else None
        inside = _sections(_annotation(section, part)) if section and part in section.model_fields else inside[:1]
    return keys, section


def _annotation(model: type[BaseModel], field: str) -> Any:
    found = model.model_fields.get(field)
    return found.annotation if found else None


def _sections(annotation: Any) -> list[type[BaseModel]]:
    """The sections that a key holds: itself, one of several kinds, or the values of a mapping by name."""
    return [t for t in (annotation, *_arguments(annotation)) if isinstance(t, type) and issubclass(t, BaseModel)]


def _arguments(annotation: Any) -> tuple[Any, ...]:
    return getattr(annotation, "__args__", ())
