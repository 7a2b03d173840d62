"""Find the document or folder that an operator names."""

from ingest.catalog import documents, folders, sources
from ingest.catalog.database import Connection
from ingest.errors import Refused


def document(tx: Connection, named: str) -> int:
    """The live document `KEY`, or `SOURCE:KEY` where several sources have the key. Raises Refused."""
    found = _search(tx, named)
    if not found:
        raise Refused(f"no document {named!r}: name it as `lockstep search` shows it, such as folder/page.md")
    if len(found) > 1:
        names = ", ".join(f"{source}:{named}" for source in sorted(found))
        raise Refused(f"several sources have a document {named!r}: name one of {names}")
    return next(iter(found.values()))


def _search(tx: Connection, named: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for source in sources.every(tx):
        key = named.removeprefix(f"{source.name}:")
        parent, _, name = key.strip("/").rpartition("/")
        folder = folders.find(tx, source.id, parent)
        known = documents.find(tx, folder, name) if folder is not None else None
        if known is not None:
            if key != named:
                return {source.name: known}
            found[source.name] = known
    return found
