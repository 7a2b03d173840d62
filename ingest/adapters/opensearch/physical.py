"""The physical index: made, checked, refreshed, merged, dropped."""

from collections.abc import Collection, Mapping
from typing import Any

from opensearchpy.exceptions import ConnectionTimeout, NotFoundError, RequestError

from ingest.adapters.opensearch import mapping
from ingest.adapters.opensearch.connection import Connection
from ingest.adapters.opensearch.document import ACCESS_FIELDS, stored
from ingest.adapters.opensearch.errors import MISSING_INDEX, STORE, gone, translated
from ingest.adapters.opensearch.settings import OpenSearchSettings
from ingest.errors import ForeignIndex, StoreUnavailable
from ingest.model.record import RecordId, StoredRecord

NAME_TAKEN = ("resource_already_exists_exception", "invalid_index_name_exception")
FETCHED_AT_ONCE = 5_000


class PhysicalIndex:
    """What concerns the index as a whole, and reading single records of it back."""

    def __init__(self, connection: Connection, name: str, settings: OpenSearchSettings) -> None:
        self._connection = connection
        self._name = name
        self._settings = settings

    def create(self) -> None:
        """See `Index.create`."""
        with translated(self._connection.host, self._name):
            try:
                answer = self._indices.create(index=self._name, body=mapping.body(self._name, self._settings))
            except RequestError as error:
                if error.error not in NAME_TAKEN:
                    raise
                self._check()
                return
        if not answer["shards_acknowledged"]:
            raise StoreUnavailable(STORE, self._connection.host, f"the shards of {self._name} have not started yet")

    def drop(self) -> None:
        """Delete the index. Raises ForeignIndex when its mark is not ours."""
        with translated(self._connection.host, self._name):
            found = self._found()
            if found is None:
                return
            if not mapping.is_ours(found):
                raise self._foreign(["it has no mark of Lockstep"])
            self._indices.delete(index=self._name, params={"ignore_unavailable": "true"})

    def require(self) -> None:
        """Raises GenerationGone when the index does not exist."""
        with translated(self._connection.host, self._name):
            if not self._indices.exists(index=self._name):
                raise gone(self._connection.host, self._name)

    def refresh(self) -> None:
        """See `Index.refresh`."""
        with translated(self._connection.host, self._name):
            self._complete(self._indices.refresh(index=self._name))

    def fetch(self, ids: Collection[RecordId]) -> Mapping[RecordId, StoredRecord]:
        """See `Index.fetch`: by id, which needs no refresh."""
        found: dict[RecordId, StoredRecord] = {}
        wanted = list(ids)
        for start in range(0, len(wanted), FETCHED_AT_ONCE):
            found |= self._fetch(wanted[start : start + FETCHED_AT_ONCE])
        return found

    def compact(self) -> bool:
        """Merge away what is deleted. False while the server still keeps some, in case a copy comes
        back that has not seen their deletes: up to half a minute where all copies are there."""
        timeout_s = self._settings.compact_timeout_s
        with translated(self._connection.host, self._name):
            try:
                self._complete(self._indices.refresh(index=self._name))
                self._complete(self._indices.flush(index=self._name, params={"wait_if_ongoing": "true"}))
                expunge = {"only_expunge_deletes": "true", "request_timeout": timeout_s}
                self._complete(self._indices.forcemerge(index=self._name, params=expunge))
            except ConnectionTimeout:
                return False
            stats = self._indices.stats(index=self._name, metric="docs")
        return bool(stats["_all"]["total"]["docs"]["deleted"] == 0)

    def _check(self) -> None:
        found = self._found()
        different = (
            ["an alias has its name, or it is no name for an index"]
            if found is None
            else mapping.differences(self._name, found)
        )
        if different:
            raise self._foreign(different)

    def _found(self) -> Mapping[str, Any] | None:
        """The index as the server describes it; None when there is none of this very name."""
        try:
            described: Mapping[str, Any] = self._indices.get(index=self._name)
        except NotFoundError:
            return None
        return described.get(self._name)

    def _fetch(self, ids: list[RecordId]) -> dict[RecordId, StoredRecord]:
        with translated(self._connection.host, self._name):
            answer = self._connection.client.mget(
                index=self._name, body={"ids": ids}, params={"_source_includes": ",".join(ACCESS_FIELDS)}
            )
        for document in answer["docs"]:
            if error := document.get("error"):
                if error.get("type") == MISSING_INDEX:
                    raise gone(self._connection.host, self._name)
                raise StoreUnavailable(STORE, self._connection.host, str(error.get("type")))
        return {RecordId(d["_id"]): stored(d["_id"], d["_source"]) for d in answer["docs"] if d["found"]}

    def _complete(self, answer: Mapping[str, Any]) -> None:
        if failed := answer["_shards"]["failed"]:
            raise StoreUnavailable(STORE, self._connection.host, f"{failed} shards of {self._name} failed")

    def _foreign(self, different: list[str]) -> ForeignIndex:
        return ForeignIndex(
            f"OpenSearch at {self._connection.host} has an index {self._name} that is not this Lockstep's: "
            f"{'; '.join(different)}. Build the generation anew under another name, or remove what is there"
        )

    @property
    def _indices(self) -> Any:
        return self._connection.client.indices
