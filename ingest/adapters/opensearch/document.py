"""Records as OpenSearch documents."""

import unicodedata
from collections.abc import Mapping
from typing import Any

from ingest.model.access import Access
from ingest.model.chunk import heading_line
from ingest.model.principal import Principal
from ingest.model.record import Record, RecordId, StoredRecord

ACCESS_FIELDS = ("allow", "deny")


def document(record: Record) -> dict[str, Any]:
    """The whole document; composed accents, because the analysis takes off only those."""
    return {
        "record": record.id,
        "document": record.document_id,
        "text": unicodedata.normalize("NFC", record.text),
        "heading": unicodedata.normalize("NFC", heading_line(record.heading_path)),
        "codes": list(record.codes),
        "facets": list(record.metadata),
        **access_fields(record.access),
    }


def access_fields(access: Access) -> dict[str, list[Principal]]:
    """The fields that a patch sets: all of them."""
    return {"allow": sorted(access.allow), "deny": sorted(access.deny)}


def stored(id_: str, source: Mapping[str, Any]) -> StoredRecord:
    """What the server says it holds."""
    allow, deny = (frozenset(map(Principal, source.get(name, ()))) for name in ACCESS_FIELDS)
    return StoredRecord(RecordId(id_), Access(allow, deny))
