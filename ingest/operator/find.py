"""Find the document that an operator names: `KEY` as searches show it, or `SOURCE:KEY`."""

from collections.abc import Callable
from dataclasses import dataclass

from ingest.catalog import documents, erasure, folders, sources
from ingest.catalog.database import Connection
from ingest.errors import Refused


@dataclass(frozen=True, slots=True)
class Place:
    """A key of one source, and the documents that are or were there."""

    source: str
    source_id: int
    key: str
    document_ids: tuple[int, ...]


def document(tx: Connection, named: str) -> int:
    """The live document of that name. Raises Refused."""
    return live(tx, named).document_ids[-1]


def live(tx: Connection, named: str) -> Place:
    """The place of the live document of that name. Raises Refused."""
    return _only(tx, named, _live)


def ever(tx: Connection, named: str) -> Place:
    """The documents that stand at a key or stood there when they ended. Raises Refused."""
    return _only(tx, named, lambda tx, source_id, key: tuple(erasure.at_key(tx, source_id, key)))


def unknown(named: str) -> Refused:
    """What is said of a document that is not there, and of one that a caller may not know of."""
    return Refused(f"no document {named!r}: name it as `lockstep search` shows it, such as folder/page.md")


Search = Callable[[Connection, int, str], tuple[int, ...]]


def _only(tx: Connection, named: str, search: Search) -> Place:
    found: list[Place] = []
    for source in sources.every(tx):
        for key in dict.fromkeys((named, named.removeprefix(f"{source.name}:"))):
            if ids := search(tx, source.id, key.strip("/")):
                found.append(Place(source.name, source.id, key.strip("/"), ids))
                break
    if not found:
        raise unknown(named)
    if len(found) > 1:
        names = ", ".join(f"{place.source}:{place.key}" for place in found)
        raise Refused(f"several sources have a document {named!r}: name one of {names}")
    return found[0]


def _live(tx: Connection, source_id: int, key: str) -> tuple[int, ...]:
    parent, _, name = key.rpartition("/")
    folder = folders.find(tx, source_id, parent)
    known = documents.find(tx, folder, name) if folder is not None else None
    return () if known is None else (known,)
