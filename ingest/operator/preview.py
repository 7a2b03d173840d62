"""What indexing a file as it is now would change and cost, without doing it."""

from collections.abc import Sequence
from dataclasses import dataclass

from ingest.catalog import documents, embeddings, folders, records
from ingest.catalog.contents import Content
from ingest.errors import Refused
from ingest.indexing.planner import plan_document
from ingest.lockstep import Lockstep, Source
from ingest.model.policy_rules import rule_metadata
from ingest.model.source import DocumentSeen, Gone


@dataclass(frozen=True, slots=True)
class Preview:
    """What indexing one document would do."""

    document: str
    add: int
    keep: int
    close: int
    move: int
    """Chunks that only change their place: no index write."""
    embed: int
    """Texts the model has never seen."""


def preview(lockstep: Lockstep, keys: Sequence[str]) -> list[Preview]:
    """Read the documents now and plan them; with no key, every document that differs from what is published.

    Raises Refused for a key that no source has, SourceUnavailable, ContentUnreadable.
    """
    if keys:
        return [_preview(lockstep, *_locate(lockstep, key)) for key in keys]
    found = []
    for source in lockstep.sources:
        for key in sorted(source.content.listing().documents):
            one = _preview(lockstep, source, key)
            if one.add or one.close or one.move:
                found.append(one)
    return found


def _locate(lockstep: Lockstep, named: str) -> tuple[Source, str]:
    for source in lockstep.sources:
        key = named.removeprefix(f"{source.name}:").strip("/")
        if source.content.identity(key) is not None:
            return source, key
    with lockstep.database.read() as tx:
        for source in lockstep.sources:
            parent, _, name = named.rpartition("/")
            folder = folders.find(tx, source.id, parent)
            if folder is not None and documents.find(tx, folder, name) is not None:
                return source, named
    raise Refused(f"no source has a document {named!r}: name it from the source's root, such as folder/page.md")


def _preview(lockstep: Lockstep, source: Source, key: str) -> Preview:
    seen = source.content.document(key)
    parent, _, name = key.rpartition("/")
    with lockstep.database.read() as tx:
        folder = folders.find(tx, source.id, parent)
        known = documents.find(tx, folder, name) if folder is not None else None
        chain = folders.chains(tx, [folder])[folder] if folder is not None else None
        stored = records.open_of(tx, lockstep.generation.id, [known]).get(known, []) if known is not None else []
    inherited: dict[str, str] = {}
    if chain is not None and chain.links:
        inherited = chain.metadata | rule_metadata(chain.links[0].document_rules, name)
    chunks = () if isinstance(seen, Gone) else lockstep.maker.chunks(_content(known or 0, seen, inherited))
    plan = plan_document(known or 0, 0, stored, chunks)
    with lockstep.database.read() as tx:
        inputs = {addition.chunk.input_hash for addition in plan.add}
        embed = len(embeddings.missing(tx, lockstep.model.fingerprint, inputs))
    return Preview(key, len(plan.add), len(plan.keep), len(plan.close), len(plan.reorder), embed)


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
