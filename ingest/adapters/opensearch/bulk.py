"""Bulk requests, whose answer is 200 also when items in it failed."""

import json
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from opensearchpy.exceptions import TransportError

from ingest.adapters.opensearch.connection import Connection
from ingest.adapters.opensearch.errors import DISK_BLOCK, MISSING_INDEX, STORE, described, full, gone, translated
from ingest.adapters.opensearch.settings import OpenSearchSettings
from ingest.errors import RecordRejected, StoreUnavailable
from ingest.model.record import RecordId

BUSY, TOO_LARGE = 429, 413


@dataclass(frozen=True, slots=True)
class Item:
    """One action of a bulk request, already encoded."""

    id: RecordId
    body: bytes = field(repr=False)

    @classmethod
    def of(cls, action: str, id_: RecordId, content: Mapping[str, Any] | None = None, **options: Any) -> "Item":
        """An action (`create`, `update`, `delete`) with what it carries. Raises UnicodeEncodeError."""
        lines = [{action: {"_id": id_, **options}}, *([] if content is None else [content])]
        text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
        return cls(id_, text.encode())


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server says of one item: an HTTP status and, for a failure, the kinds of error."""

    status: int
    error: str = ""


class Bulk:
    """Sends items to one alias until each has an answer that sending again would not change."""

    def __init__(
        self,
        connection: Connection,
        alias: str,
        settings: OpenSearchSettings,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        """`wait` waits between attempts, in seconds."""
        self._connection = connection
        self._alias = alias
        self._settings = settings
        self._wait = wait

    def send(
        self, items: Iterable[Item], *, findable: bool = False, temporary: Collection[int] = ()
    ) -> dict[RecordId, Reply]:
        """The final reply to every item. With `findable`, searches find what the items changed; `temporary` are
        statuses after which an item is sent again, beyond 429 and those from 500.

        Raises StoreUnavailable (some may be applied), GenerationGone, StoreFull.
        """
        replies: dict[RecordId, Reply] = {}
        for batch in batches(items, self._settings.batch_bytes):
            replies.update(self._send_until_final(batch, findable, temporary))
        return replies

    def _send_until_final(
        self, batch: Sequence[Item], findable: bool, temporary: Collection[int]
    ) -> dict[RecordId, Reply]:
        final: dict[RecordId, Reply] = {}
        pause = self._settings.backoff_s
        for attempt in range(self._settings.attempts):
            if attempt:
                self._wait(pause)
                pause = min(pause * 2, self._settings.longest_backoff_s)
            replies = self._send_once(batch, findable)
            busy = {item.id for item, reply in zip(batch, replies, strict=True) if _is_temporary(reply, temporary)}
            final.update((item.id, reply) for item, reply in zip(batch, replies, strict=True) if item.id not in busy)
            batch = [item for item in batch if item.id in busy]
            if not batch:
                return final
        raise StoreUnavailable(STORE, self._connection.host, f"it has no time for {len(batch)} items of a bulk request")

    def _send_once(self, batch: Sequence[Item], findable: bool) -> list[Reply]:
        host = self._connection.host
        with translated(host, self._alias):
            try:
                answer = self._connection.client.bulk(
                    body=b"".join(item.body for item in batch),
                    index=self._alias,
                    params={"require_alias": "true", "refresh": "wait_for" if findable else "false"},
                )
            except TransportError as error:
                if error.status_code == TOO_LARGE:
                    return self._send_halves(batch, findable)
                if error.status_code == BUSY and DISK_BLOCK not in str(error.info):
                    return [Reply(BUSY)] * len(batch)
                raise
        results = [result for item in answer["items"] for result in item.values()]
        if len(results) != len(batch):
            raise StoreUnavailable(STORE, host, "a bulk answer of the wrong length")
        return [self._reply(result) for result in results]

    def _send_halves(self, batch: Sequence[Item], findable: bool) -> list[Reply]:
        if len(batch) == 1:
            return [Reply(TOO_LARGE, f"its {len(batch[0].body):,} bytes are more than the server takes")]
        middle = len(batch) // 2
        return [*self._send_once(batch[:middle], findable), *self._send_once(batch[middle:], findable)]

    def _reply(self, result: Mapping[str, Any]) -> Reply:
        error = result.get("error") or {}
        if error.get("type") == MISSING_INDEX:
            raise gone(self._connection.host, self._alias)
        if DISK_BLOCK in str(error.get("reason")):
            raise full(self._connection.host, self._alias)
        return Reply(int(result["status"]), described(error) if error else "")


def batches(items: Iterable[Item], most_bytes: int) -> Iterator[list[Item]]:
    """The items in their order, as many together as fit into `most_bytes`; a larger one alone."""
    batch: list[Item] = []
    size = 0
    for item in items:
        if batch and size + len(item.body) > most_bytes:
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += len(item.body)
    if batch:
        yield batch


def failures(replies: Mapping[RecordId, Reply], *, tolerated: int) -> dict[RecordId, str]:
    """What the server refuses for good, with the kinds of error; one status is no failure."""
    return {id_: reply.error for id_, reply in replies.items() if reply.error and reply.status != tolerated}


def require_success(replies: Mapping[RecordId, Reply], action: str, *, tolerated: int) -> None:
    """Raises RecordRejected, naming one record and its error, when the server refuses any for good."""
    if failed := failures(replies, tolerated=tolerated):
        id_, error = next(iter(failed.items()))
        raise RecordRejected(f"OpenSearch refuses to {action} {len(failed)} records; {id_}: {error}")


def _is_temporary(reply: Reply, temporary: Collection[int]) -> bool:
    return reply.status == BUSY or reply.status >= 500 or reply.status in temporary
