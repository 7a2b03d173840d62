"""Documents that nobody can read, counted by the reason and by what states it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ingest.catalog import documents, folders, overview, policies, sources
from ingest.catalog.database import AnyRow, Connection
from ingest.catalog.database import now as database_now
from ingest.catalog.policies import Entries
from ingest.operator import nobody
from ingest.operator.nobody import Above, Cause

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Documents that nobody can read for one reason. `where`: the source, folder or document that states it."""

    source: str
    where: str
    reason: str
    documents: int


def unreadable(tx: Connection) -> list[Unreadable]:
    """Every document that nobody can read, the most numerous reason first."""
    now = database_now(tx)
    rows = {row.id: row for row in sources.every(tx)}
    closed = {source_id: cause for source_id, row in rows.items() if (cause := nobody.by_source(row, now))}
    found: Counter[tuple[int, Cause]] = Counter()
    plain = overview.plain_documents(tx)
    above = _above(tx, {folder for _, folder, _ in plain})
    for source_id, folder_id, count in plain:
        cause = closed.get(source_id) or nobody.by_folder(above[folder_id])
        if cause is not None:
            found[source_id, cause] += count
    for page in _special(tx):
        found.update(_causes(tx, page, closed))
    return [
        Unreadable(rows[source_id].name, cause.where, cause.reason, count)
        for (source_id, cause), count in found.most_common()
    ]


def _causes(tx: Connection, page: list[AnyRow], closed: dict[int, Cause]) -> Iterator[tuple[int, Cause]]:
    above = _above(tx, {row.folder_id for row in page})
    own = policies.entries_of(tx, "d", [row.id for row in page])
    keys = documents.keys(tx, [row.id for row in page])
    for row in page:
        said = nobody.by_document(row, keys[row.id], own.get(row.id, Entries()), above[row.folder_id])
        cause = closed.get(row.source_id) or said
        if cause is not None:
            yield row.source_id, cause


def _special(tx: Connection) -> Iterator[list[AnyRow]]:
    after = 0
    while page := overview.special_documents(tx, after=after, limit=_PAGE):
        yield page
        after = page[-1].id


def _above(tx: Connection, folder_ids: Iterable[int]) -> dict[int, Above]:
    """What the chains of folders say, by folder."""
    said: dict[int, Above] = {}
    ordered = sorted(folder_ids)
    for start in range(0, len(ordered), _PAGE):
        found = folders.chains(tx, ordered[start : start + _PAGE])
        links = sorted({link.id for chain in found.values() for link in chain.links})
        stated = policies.entries_of(tx, "f", links)
        problems: dict[int, str] = {}
        for at in range(0, len(links), _PAGE):
            problems |= folders.problems(tx, links[at : at + _PAGE])
        said |= {leaf: nobody.read_chain(chain, stated, problems) for leaf, chain in found.items()}
    return said
