"""Show a document as it is published: its chunks in order."""

from dataclasses import dataclass

from ingest.catalog import contents, decision, documents, generations, indexing, records
from ingest.catalog.database import AnyRow
from ingest.lockstep import Lockstep
from ingest.model.principal import Principal
from ingest.model.record import RecordId
from ingest.operator import find


@dataclass(frozen=True, slots=True)
class ShownChunk:
    """One published chunk."""

    heading_path: tuple[str, ...]
    text: str
    codes: tuple[str, ...]
    metadata: tuple[str, ...]
    since_version: int


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """A document with what is published of it."""

    document: str
    title: str
    content_version: int
    published_version: int
    wanted_version: int
    held: str | None
    metadata: dict[str, str]
    chunks: tuple[ShownChunk, ...]


def show(lockstep: Lockstep, named: str, caller: frozenset[Principal] | None) -> ShownDocument:
    """What is published of a document. With a caller, only what that caller may read; without, as the operator.

    Raises Refused for an unknown document, or one of which the caller may read nothing: the two look alike.
    """
    with lockstep.database.read() as tx:
        document_id = find.document(tx, named)
        generation = generations.active(tx) or lockstep.generation
        rows = records.of_document(tx, generation.id, document_id)
        if caller is not None:
            ids = [RecordId(row.id) for row in rows]
            decided = decision.decide(
                tx,
                generation_id=generation.id,
                epoch=generation.epoch,
                caller=caller,
                candidates=ids,
                closure_limit=lockstep.settings.search.closure_limit,
            )
            allowed = {verdict.id for verdict in decided.verdicts if not verdict.pending}
            rows = [row for row in rows if row.id in allowed]
            if not rows:
                raise find.unknown(named)
        content = contents.load(tx, [document_id]).get(document_id)
        state = indexing.of_document(tx, generation.id, document_id)
        return ShownDocument(
            document=documents.keys(tx, [document_id])[document_id],
            title=content.title if content else "",
            content_version=content.version if content else 0,
            published_version=state.published_version if state else 0,
            wanted_version=state.wanted_version if state else 0,
            held=state.held if state else None,
            metadata=content.metadata if content else {},
            chunks=tuple(_chunk(row) for row in rows),
        )


def _chunk(row: AnyRow) -> ShownChunk:
    return ShownChunk(tuple(row.heading), row.body, tuple(row.codes), tuple(row.metadata), row.since_version)
