"""Contents: the newest normalised text and metadata of each document, compressed."""

import hashlib
import json
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from ingest.catalog.tables import contents
from ingest.model.source import DocumentSeen, Media


@dataclass(frozen=True, slots=True)
class Content:
    """A document as last looked at. `metadata` is what is in force, its folders' included."""

    document_id: int
    version: int
    text: str
    media: Media
    title: str
    link: str
    own_metadata: dict[str, str]
    metadata: dict[str, str]


def hash_content(seen: DocumentSeen, metadata: Mapping[str, str]) -> str:
    """Differs when anything a reader could notice differs."""
    said = [seen.text, seen.media, seen.title, seen.link, dict(sorted(metadata.items()))]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


_HASH = select(contents.c.hash).where(contents.c.document_id == bindparam("b_id"))


def stored_hash(tx: Connection, document_id: int) -> str | None:
    """The hash of what is stored."""
    return tx.execute(_HASH, {"b_id": document_id}).scalar_one_or_none()


_FORGET = delete(contents).where(contents.c.document_id == bindparam("b_id"))
_STORE = insert(contents)


def store(tx: Connection, document_id: int, version: int, seen: DocumentSeen, metadata: dict[str, str]) -> None:
    """Replace a document's content."""
    row = {
        "document_id": document_id,
        "version": version,
        "hash": hash_content(seen, metadata),
        "body": zlib.compress(seen.text.encode("utf-8", "surrogatepass"), 1),
        "media": seen.media,
        "title": seen.title,
        "link": seen.link,
        "own_metadata": seen.metadata,
        "metadata": metadata,
        "encoding": seen.encoding,
    }
    tx.execute(_FORGET, {"b_id": document_id})
    tx.execute(_STORE, row)


def raise_version(tx: Connection, document_id: int, version: int) -> None:
    """The same content under a higher version: what repair does to have it published again."""
    tx.execute(update(contents).where(contents.c.document_id == document_id).values(version=version))


def load(tx: Connection, document_ids: Collection[int]) -> dict[int, Content]:
    """Contents by document; deleted documents have none."""
    rows = tx.execute(select(contents).where(contents.c.document_id.in_(list(document_ids))))
    return {
        row.document_id: Content(
            document_id=row.document_id,
            version=row.version,
            text=zlib.decompress(row.body).decode("utf-8", "surrogatepass"),
            media=row.media,
            title=row.title,
            link=row.link,
            own_metadata=row.own_metadata,
            metadata=row.metadata,
        )
        for row in rows
    }
