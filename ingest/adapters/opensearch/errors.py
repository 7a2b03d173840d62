"""The client's errors in our own tree. Messages name kinds of errors: their details may hold a document's text."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from opensearchpy.exceptions import (
    ConnectionError as NoConnection,
)
from opensearchpy.exceptions import (
    ConnectionTimeout,
    OpenSearchException,
    TransportError,
)

from ingest.errors import GenerationGone, LockstepError, Permanent, StoreFull, StoreUnavailable

STORE: Final = "OpenSearch"
MISSING_INDEX: Final = "index_not_found_exception"
DISK_BLOCK: Final = "read-only-allow-delete"


@contextmanager
def translated(host: str, index: str) -> Iterator[None]:
    """Raise what the port promises in place of what the client raises."""
    try:
        yield
    except OpenSearchException as error:
        raise translate(error, host, index) from error


def translate(error: OpenSearchException, host: str, index: str) -> LockstepError:
    """Our error for one of the client's."""
    match error:
        case ConnectionTimeout():
            return StoreUnavailable(STORE, host, "no answer in time")
        case NoConnection():
            return StoreUnavailable(STORE, host, "no connection")
        case TransportError():
            return _refusal(int(error.status_code), str(error.error), str(error.info), host, index)
        case _:
            return StoreUnavailable(STORE, host, type(error).__name__)


def full(host: str, index: str) -> StoreFull:
    """The server has blocked writing because its disk is full."""
    return StoreFull(
        f"OpenSearch at {host} takes no writes to {index}, its disk is full: free space there; "
        f"the server lifts the block by itself, and waiting documents go on"
    )


def gone(host: str, index: str) -> GenerationGone:
    """The index or its write alias does not exist."""
    return GenerationGone(f"OpenSearch at {host} has no index {index}")


def described(error: Mapping[str, Any]) -> str:
    """The kinds of an item's error and of its causes, outermost first."""
    kinds = []
    cause: Mapping[str, Any] | None = error
    while cause:
        kinds.append(str(cause.get("type")))
        cause = cause.get("caused_by")
    return ": ".join(kinds)


def _refusal(status: int, kind: str, details: str, host: str, index: str) -> LockstepError:
    if kind == MISSING_INDEX:
        return gone(host, index)
    if DISK_BLOCK in details:
        return full(host, index)
    if status in {401, 403}:
        return StoreUnavailable(STORE, host, "it refuses the user or the password")
    if status == 429 or status >= 500:
        return StoreUnavailable(STORE, host, f"{status} {kind}")
    return Permanent(f"OpenSearch at {host} refuses a request for {index}: {status} {kind}")
