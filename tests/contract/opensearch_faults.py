"""A connection that commits faults between the client and a real node."""

import json
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import Any

from opensearchpy import ConnectionTimeout, TransportError, Urllib3HttpConnection

Answer = tuple[int, Any, str]
Forward = Callable[[bytes], Answer]
Fault = Callable[[bytes, Forward], Answer]
"""Gets the body of a bulk request and the way to the node; answers in its place."""


class FaultyConnection(Urllib3HttpConnection):
    """Commits one fault for each bulk request, in their order, until none is left; remembers what was sent."""

    def __init__(self, *, faults: deque[Fault], sent: list[bytes], **options: Any) -> None:
        super().__init__(**options)
        self._faults = faults
        self._sent = sent

    def perform_request(  # noqa: PLR0917 - the client's own signature
        self,
        method: str,
        url: str,
        params: Mapping[str, Any] | None = None,
        body: bytes | None = None,
        timeout: float | None = None,
        ignore: Collection[int] = (),
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Let everything but bulk requests pass."""

        def forward(content: bytes | None) -> Answer:
            answer: Answer = super(FaultyConnection, self).perform_request(
                method, url, params, content, timeout, ignore, headers
            )
            return answer

        if not url.endswith("/_bulk") or body is None:
            return forward(body)
        self._sent.append(body)
        return self._faults.popleft()(body, forward) if self._faults else forward(body)


def failing_items(status: int, kind: str, *marks: str) -> Fault:
    """Answers an error for the items whose ids end in one of the marks; the others reach the node."""

    def fault(body: bytes, forward: Forward) -> Answer:
        items = _items(body)
        failing = [any(id_.endswith(mark) for mark in marks) for _, id_, _ in items]
        kept = b"".join(lines for (_, _, lines), fails in zip(items, failing, strict=True) if not fails)
        code, headers, raw = forward(kept) if kept else (200, {}, '{"items": []}')
        answered = iter(json.loads(raw)["items"])
        error = {"status": status, "error": {"type": kind, "reason": kind}}
        mixed = [
            {action: error} if fails else next(answered) for (action, _, _), fails in zip(items, failing, strict=True)
        ]
        return code, headers, json.dumps({"errors": True, "items": mixed})

    return fault


def failing_whole(status: int, kind: str) -> Fault:
    """Refuses the whole request; nothing reaches the node."""

    def fault(body: bytes, forward: Forward) -> Answer:
        raise TransportError(status, kind, {})

    return fault


def larger_than(most_bytes: int) -> Fault:
    """Refuses a body that is too large, as a proxy before the node would."""

    def fault(body: bytes, forward: Forward) -> Answer:
        if len(body) > most_bytes:
            raise TransportError(413, "too large", {})
        return forward(body)

    return fault


def silent_after_applying(body: bytes, forward: Forward) -> Answer:
    """The node applies the request; its answer is lost."""
    forward(body)
    raise ConnectionTimeout("TIMEOUT", "injected", TimeoutError())


def number_of_items(body: bytes) -> int:
    """How many items a bulk request carries."""
    return len(_items(body))


def _items(body: bytes) -> list[tuple[str, str, bytes]]:
    """Action, id and lines of each item."""
    lines = body.splitlines(keepends=True)
    items, at = [], 0
    while at < len(lines):
        ((action, meta),) = json.loads(lines[at]).items()
        size = 1 if action == "delete" else 2
        items.append((action, meta["_id"], b"".join(lines[at : at + size])))
        at += size
    return items
