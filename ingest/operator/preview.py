"""What indexing files as they are now would change and cost, without doing it: nothing is stored."""

from collections.abc import Sequence
from dataclasses import dataclass

from ingest.catalog import documents, embeddings, folders, records
from ingest.catalog.contents import Content
from ingest.errors import Permanent, SourceUnsettled
from ingest.indexing.planner import plan_document
from ingest.lockstep import Lockstep, Source
from ingest.model.policy_rules import rule_metadata
from ingest.model.source import DocumentSeen, Gone
from ingest.operator import find

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Preview:
    """What indexing one document would do. Each added chunk is one write in each index, each closed one a delete."""

    document: str
    source: str
    change: str
    """new, changed, unchanged, gone, or unreadable; then `problem` says why, and the old version stays."""
    add: int = 0
    keep: int = 0
    close: int = 0
    move: int = 0
    """Chunks that only change their place: no index write."""
    embed: int = 0
    """Texts the model has never seen."""
    problem: str | None = None


def preview(lockstep: Lockstep, named: Sequence[str]) -> list[Preview]:
    """Read documents now and plan them; without a name, everything that differs from what is published.

    Raises Refused for a document that neither a source nor the catalog has, SourceUnavailable.
    """
    if named:
        return [_preview(lockstep, *_locate(lockstep, one)) for one in named]
    everything = (
        _preview(lockstep, source, key)
        for source in lockstep.sources
        for key in sorted({*source.content.listing().documents, *_known(lockstep, source)})
    )
    return [one for one in everything if one.change != "unchanged"]


def _known(lockstep: Lockstep, source: Source) -> list[str]:
    with lockstep.database.read() as tx:
        ids = [row.id for row in documents.of_source(tx, source.id)]
        pages = [documents.keys(tx, ids[start : start + _PAGE]) for start in range(0, len(ids), _PAGE)]
    return [key for page in pages for key in page.values()]


def _locate(lockstep: Lockstep, named: str) -> tuple[Source, str]:
    for source in lockstep.sources:
        for key in dict.fromkeys((named, named.removeprefix(f"{source.name}:"))):
            if source.content.identity(key.strip("/")) is not None:
                return source, key.strip("/")
    with lockstep.database.read() as tx:
        place = find.live(tx, named)
    for source in lockstep.sources:
        if source.name == place.source:
            return source, place.key
    raise find.unknown(named)


def _preview(lockstep: Lockstep, source: Source, key: str) -> Preview:
    try:
        seen = source.content.document(key)
    except (Permanent, SourceUnsettled) as error:
        return Preview(key, source.name, "unreadable", problem=str(error))
    known, inherited = _inherited(lockstep, source, key)
    try:
        chunks = () if isinstance(seen, Gone) else lockstep.maker.chunks(_content(known or 0, seen, inherited))
    except Permanent as error:
        return Preview(key, source.name, "unreadable", problem=str(error))
    with lockstep.database.read() as tx:
        ids = [] if known is None else [known]
        stored = records.open_of(tx, lockstep.generation.id, ids)
        plan = plan_document(known or 0, 0, stored.get(known or 0, []), chunks)
        inputs = {addition.chunk.input_hash for addition in plan.add}
        embed = len(embeddings.missing(tx, lockstep.model.fingerprint, inputs))
    touched = bool(plan.add or plan.close or plan.reorder)
    change = "gone" if isinstance(seen, Gone) else "new" if known is None else "changed" if touched else "unchanged"
    return Preview(key, source.name, change, len(plan.add), len(plan.keep), len(plan.close), len(plan.reorder), embed)


def _inherited(lockstep: Lockstep, source: Source, key: str) -> tuple[int | None, dict[str, str]]:
    """The document at a key, if it is known, and the metadata that its folders give it."""
    parent, _, name = key.rpartition("/")
    with lockstep.database.read() as tx:
        folder = folders.find(tx, source.id, parent)
        if folder is None:
            return None, {}
        chain = folders.chains(tx, [folder])[folder]
        return documents.find(tx, folder, name), chain.metadata | rule_metadata(chain.links[0].document_rules, name)


def _content(document_id: int, seen: DocumentSeen, inherited: dict[str, str]) -> Content:
    return Content(
        document_id=document_id,
        version=0,
        text=seen.text,
        media=seen.media,
        title=seen.title,
        link=seen.link,
        own_metadata=seen.metadata,
        metadata=inherited | seen.metadata,
    )
