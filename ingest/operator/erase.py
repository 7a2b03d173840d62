"""Erase a document: at once nothing returns it, its rows are gone, and its words leave the files of every store."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ingest.catalog import compaction, documents, embeddings, erasure
from ingest.catalog.erasure import Traces
from ingest.errors import SourceUnavailable, StoreFull, Transient
from ingest.indexing.accept import end_document
from ingest.lockstep import Lockstep
from ingest.operator import find
from ingest.ports import Index

_PAGE = 500
_DONE = "done"


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased. `stores` says per store whether its files are rid of the words: done, or pending and why."""

    document: str
    source: str
    records: int
    stores: dict[str, str]
    still_at_source: bool | None
    """The file still exists: the next scan brings it back unless it is removed or excluded. None: nobody can say."""
    backups: tuple[str, ...]
    """What lies in the folder for backups; these, and any others made before now, still hold the document."""

    @property
    def pending(self) -> bool:
        """Whether some store's files may still hold the words; erasing again tries again."""
        return any(said != _DONE for said in self.stores.values())


def erase(lockstep: Lockstep, named: str) -> Erased:
    """Erase what stands at a key, and what stood there and was deleted. Erasing again goes on where it stopped.

    Order: first nobody reads it and the catalog has no word of it (one transaction), then both stores delete by ids,
    then the rows go, then every store is compacted. Raises Refused for a document that was never known.
    """
    with lockstep.database.write() as tx:
        place = find.ever(tx, named)
        documents.lock(tx, place.document_ids)
        for document_id, (_, deleted) in sorted(documents.versions(tx, place.document_ids).items()):
            if not deleted:
                end_document(tx, document_id, outcome="erased")
        traces = erasure.blank(tx, place.document_ids)
    stores: dict[str, Index] = {"lexical": lockstep.lexical, "vector": lockstep.vector}
    failed = _delete(stores, traces)
    if not failed:
        with lockstep.database.write() as tx:
            erasure.drop_records(tx, traces)
            embeddings.forget(tx, traces.inputs)
    return Erased(
        document=place.key,
        source=place.source,
        records=len(traces.records),
        stores=_compact(lockstep, stores, failed),
        still_at_source=_still_there(lockstep, place),
        backups=_backups(lockstep),
    )


def _delete(stores: Mapping[str, Index], traces: Traces) -> dict[str, str]:
    """Why stores could not delete: their condemned records stay for the vacuum, which deletes them later."""
    failed: dict[str, str] = {}
    for name, store in stores.items():
        try:
            for start in range(0, len(traces.records), _PAGE):
                store.delete(traces.records[start : start + _PAGE])
        except Transient as error:
            failed[name] = f"pending: {error}; vacuum deletes it then, or erase again"
    return failed


def _compact(lockstep: Lockstep, stores: Mapping[str, Index], failed: Mapping[str, str]) -> dict[str, str]:
    said = {
        "catalog": _compacted(
            lambda: compaction.compact(lockstep.database),
            "the database overwrites deleted rows when it uses their space again, its log when that is recycled",
        )
    }
    for name, store in stores.items():
        later = "the server removes what was deleted in its own time"
        said[name] = failed.get(name) or _compacted(store.compact, later)
    return said


def _compacted(compact: Callable[[], bool], later: str) -> str:
    try:
        return _DONE if compact() else f"pending: {later}; erase again to look again"
    except (Transient, StoreFull) as error:
        return f"pending: {error}"


def _still_there(lockstep: Lockstep, place: find.Place) -> bool | None:
    source = next((source for source in lockstep.sources if source.name == place.source), None)
    if source is None:
        return False
    try:
        return source.content.identity(place.key) is not None
    except SourceUnavailable:
        return None


def _backups(lockstep: Lockstep) -> tuple[str, ...]:
    folder = lockstep.settings.data.parent / "backups"
    return tuple(sorted(str(one) for one in folder.iterdir())) if folder.is_dir() else ()
