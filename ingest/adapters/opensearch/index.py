"""The lexical index in OpenSearch."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from opensearchpy import OpenSearch

from ingest.adapters.opensearch import mapping, query
from ingest.adapters.opensearch.bulk import Bulk, Item, failures, require_success
from ingest.adapters.opensearch.connection import Connection
from ingest.adapters.opensearch.document import access_fields, document, stored
from ingest.adapters.opensearch.errors import translated
from ingest.adapters.opensearch.examine import examine
from ingest.adapters.opensearch.physical import PhysicalIndex
from ingest.adapters.opensearch.settings import OpenSearchSettings
from ingest.adapters.words import read_question
from ingest.errors import RecordRejected
from ingest.model.access import Access
from ingest.model.principal import Principal
from ingest.model.record import Candidate, Filters, Record, RecordId, StoredRecord
from ingest.model.server_setting import ServerSetting

PRESENT = CONFLICT = 409
MISSING = 404


class OpenSearchIndex:
    """BM25 and codes in one physical index, written through a private alias and read by its own name.

    Acknowledged writes are in the translog on disk: `flush` has nothing to do. Nothing is opened before the first
    call; after a fork the child opens connections of its own.
    """

    def __init__(
        self,
        hosts: Sequence[str] | OpenSearch,
        name: str,
        *,
        settings: OpenSearchSettings | None = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        """`hosts` are URLs, or a client that stays the caller's; `wait` waits between attempts, in seconds."""
        settings = settings or OpenSearchSettings()
        self._name = name
        self._settings = settings
        self._connection = Connection(hosts, settings)
        self._physical = PhysicalIndex(self._connection, name, settings)
        self._bulk = Bulk(self._connection, mapping.write_alias(name), settings, wait)

    def create(self) -> None:
        """See `Index.create`."""
        self._physical.create()

    def drop(self) -> None:
        """See `Index.drop`. Raises ForeignIndex when something else has the name."""
        self._physical.drop()

    def add(self, records: Sequence[Record], *, findable: bool) -> Mapping[RecordId, str]:
        """See `LexicalIndex.add`."""
        refused: dict[RecordId, str] = {}
        items: list[Item] = []
        for record in records:
            try:
                items.append(Item.of("create", record.id, document(record)))
            except UnicodeEncodeError as error:
                refused[record.id] = f"contains characters that are no text ({error.reason})"
        replies = self._bulk.send(items, findable=findable)
        if findable and any(reply.status == PRESENT for reply in replies.values()):
            # The server waits for what a request wrote, and an item that was present wrote nothing:
            #   1) an attempt stores a record and its answer is lost
            #   2) it is sent again: 409, at once, although no refresh has happened since 1)
            self.refresh()
        return refused | failures(replies, tolerated=PRESENT)

    def search(
        self, question: str, *, caller: frozenset[Principal], filters: Filters, limit: int
    ) -> Sequence[Candidate]:
        """See `LexicalIndex.search`."""
        return self._best(query.asks(read_question(question), self._settings), caller, filters, limit)

    def with_codes(
        self, codes: Sequence[str], *, caller: frozenset[Principal], filters: Filters, limit: int
    ) -> Sequence[Candidate]:
        """See `LexicalIndex.with_codes`."""
        return self._best(query.carries(codes), caller, filters, limit)

    def refresh(self) -> None:
        """See `Index.refresh`."""
        self._physical.refresh()

    def patch_access(self, changes: Mapping[RecordId, Access]) -> Collection[RecordId]:
        """See `Index.patch_access`. Also raises StoreFull, GenerationGone, and RecordRejected when the server refuses
        some of the fields for good: all others are patched then."""
        try:
            items = [
                Item.of("update", id_, {"doc": access_fields(access)}, retry_on_conflict=5)
                for id_, access in changes.items()
            ]
        except UnicodeEncodeError as error:
            raise RecordRejected(f"a principal for {self._name} is no text: {error.reason}") from error
        replies = self._bulk.send(items, temporary={CONFLICT})
        require_success(replies, "patch", tolerated=MISSING)
        return [id_ for id_, reply in replies.items() if reply.status == MISSING]

    def delete(self, ids: Collection[RecordId]) -> None:
        """See `Index.delete`. Raises as `patch_access`."""
        if not ids:
            raise ValueError("no ids to delete: an empty list is refused")
        replies = self._bulk.send((Item.of("delete", id_) for id_ in ids), temporary={CONFLICT})
        require_success(replies, "delete", tolerated=MISSING)

    def ids(self, *, after: RecordId | None, limit: int) -> Sequence[StoredRecord]:
        """See `Index.ids`. Refreshes first, since a search sees only what is findable."""
        self.refresh()
        found: list[StoredRecord] = []
        while len(found) < limit:
            hits = self._search(query.page(found[-1].id if found else after, limit - len(found)))
            found += [stored(hit["_id"], hit["_source"]) for hit in hits]
            if len(hits) < query.MOST_HITS:
                break
        return found

    def fetch(self, ids: Collection[RecordId]) -> Mapping[RecordId, StoredRecord]:
        """See `Index.fetch`."""
        return self._physical.fetch(ids)

    def flush(self) -> None:
        """Nothing to do: the translog is synced before a write is acknowledged."""

    def compact(self) -> bool:
        """See `Index.compact`."""
        return self._physical.compact()

    def examine(self) -> Sequence[ServerSetting]:
        """See `Examinable.examine`."""
        with translated(self._connection.host, self._name):
            return examine(self._connection.client, self._name)

    def close(self) -> None:
        """See `Index.close`. A later call connects again."""
        self._connection.close()

    def _best(
        self, alternatives: Sequence[query.Query], caller: frozenset[Principal], filters: Filters, limit: int
    ) -> Sequence[Candidate]:
        if not alternatives:
            self._physical.require()
            return []
        hits = self._search(query.best_first(query.admitted(alternatives, caller, filters), limit))
        return [Candidate(RecordId(hit["_id"]), hit["_score"]) for hit in hits]

    def _search(self, body: query.Query) -> list[dict[str, Any]]:
        """Ask the primary shards, all of them: a replica may lag behind, and a part of an answer is none."""
        with translated(self._connection.host, self._name):
            answer = self._connection.client.search(
                index=self._name, body=body, params={"preference": "_primary", "allow_partial_search_results": "false"}
            )
        hits: list[dict[str, Any]] = answer["hits"]["hits"]
        return hits
