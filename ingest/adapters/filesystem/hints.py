"""From places that changed to hints about what belongs to the source."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from ingest.adapters.filesystem.changes import Place, Touch
from ingest.adapters.filesystem.names import ACCESS_FILE, parts_of
from ingest.adapters.filesystem.selection import Selection
from ingest.errors import SourceUnavailable
from ingest.model.event import DocumentHint, Event, FolderHint
from ingest.model.source import FileIdentity, Listing


class Looked(Protocol):
    """What making hints asks of a source."""

    @property
    def selection(self) -> Selection: ...

    def identity(self, key: str) -> FileIdentity | None: ...

    def listing(self, under: str = "") -> Listing: ...


def hints_of(source: Looked, touches: Mapping[Place, Touch]) -> Sequence[Event]:
    """One hint a folder or document, folders first; each place is filtered by itself.

    A change of an access file is a change of its folder. A folder that appeared is walked, which finds what was in it
    before it was watched. Hints carry the identity of what is there now. A root that is missing, or a folder that
    cannot be walked, gives hints without identities: the looks find out.
    """
    folders: dict[str, FolderHint] = {}
    documents: dict[str, DocumentHint] = {}
    for event in _all(source, touches):
        if isinstance(event, FolderHint):
            folders[event.key] = _merged(folders.get(event.key), event)
        else:
            documents[event.key] = event
    return [*folders.values(), *documents.values()]


def _all(source: Looked, touches: Mapping[Place, Touch]) -> Iterator[FolderHint | DocumentHint]:
    walked = {place.key: touch.settle_s for place, touch in touches.items() if touch.walk}
    for key, settle_s in walked.items():
        if _belongs(source, Place("folder", key)) and walked.keys().isdisjoint(_above(key)):
            yield from _inside(source, key, settle_s)
    for place, touch in touches.items():  # after the walks: what an event said of a place counts more
        key, name = place.key.rpartition("/")[::2]
        if place.kind == "document" and name == ACCESS_FILE:
            if _belongs(source, Place("folder", key)):
                yield FolderHint(key, _identity(source, key), touch.settle_s)
        elif _belongs(source, place):
            hint = FolderHint if place.kind == "folder" else DocumentHint
            yield hint(place.key, _identity(source, place.key), touch.settle_s)


def _inside(source: Looked, folder: str, settle_s: float) -> Iterator[FolderHint | DocumentHint]:
    try:
        found = source.listing(folder)
    except SourceUnavailable:
        return
    for key, identity in found.folders.items():
        yield FolderHint(key, identity, settle_s)
    for key, identity in found.documents.items():
        yield DocumentHint(key, identity, settle_s)


def _above(key: str) -> Iterator[str]:
    while "/" in key:
        key = key.rpartition("/")[0]
        yield key


def _belongs(source: Looked, place: Place) -> bool:
    parts = parts_of(place.key)
    if parts is None:
        return False
    return source.selection.folder(parts) if place.kind == "folder" else source.selection.document(parts)


def _identity(source: Looked, key: str) -> FileIdentity | None:
    try:
        return source.identity(key)
    except SourceUnavailable:
        return None


def _merged(before: FolderHint | None, now: FolderHint) -> FolderHint:
    return now if before is None or now.settle_s >= before.settle_s else before
