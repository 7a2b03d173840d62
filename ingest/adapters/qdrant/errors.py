"""The client's errors in our own tree."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from ingest.errors import (
    ForeignIndex,
    GenerationGone,
    LockstepError,
    Permanent,
    RecordRejected,
    StoreFull,
    StoreUnavailable,
    Transient,
)

STORE: Final = "Qdrant"
POINT_MISSING: Final = "No point with id"
FULL: Final = ("No space left", "disk space", "not enough space")
REFUSALS: Final = (400, 413, 422)


class PointsMissing(Transient):
    """A patch named a point that is not there; which of the others were patched is open."""


class WriteRefused(RecordRejected):
    """The server will never take this write as it is."""


@contextmanager
def translated(host: str, collection: str) -> Iterator[None]:
    """Raise what the port promises in place of what the client raises, on a server and in local mode."""
    try:
        yield
    except LockstepError:
        raise
    except UnexpectedResponse as error:
        raise _refusal(error.status_code or 0, said(error), host, collection) from error
    except ResponseHandlingException as error:
        raise StoreUnavailable(STORE, host, type(error.source).__name__) from error
    except ResourceExhaustedResponse as error:
        raise StoreUnavailable(STORE, host, "it asks for patience") from error
    except KeyError as error:  # local mode
        raise PointsMissing(f"a point of {collection} is not there") from error
    except ValueError as error:  # local mode
        if "not found" in str(error):
            raise gone(host, collection) from error
        raise Permanent(f"{STORE} at {host} refuses a request for {collection}: {error}") from error
    except RuntimeError as error:  # local mode
        raise StoreUnavailable(STORE, host, "closed") from error


def said(error: UnexpectedResponse) -> str:
    """The server's sentence, without the envelope."""
    try:
        status = json.loads(error.content)["status"]
        return str(status["error"])[:200]
    except (ValueError, KeyError, TypeError):
        return error.reason_phrase[:200]


def gone(host: str, collection: str) -> GenerationGone:
    """The collection does not exist."""
    return GenerationGone(f"{STORE} at {host} has no collection {collection}")


def foreign(host: str, collection: str, reason: str) -> ForeignIndex:
    """The collection is not ours, or has another shape."""
    return ForeignIndex(
        f"the collection {collection} of {STORE} at {host} was not made by this version of Lockstep for this "
        f"generation ({reason}): remove or rename it, or set another name"
    )


def _refusal(status: int, sentence: str, host: str, collection: str) -> LockstepError:
    if any(mark.lower() in sentence.lower() for mark in FULL):
        return StoreFull(f"{STORE} at {host} has no space left for {collection}: free some, then documents go on")
    if status == 404:
        missing = POINT_MISSING in sentence
        return PointsMissing(f"a point of {collection} is not there") if missing else gone(host, collection)
    if status in {401, 403}:
        return StoreUnavailable(STORE, host, "it refuses the API key")
    if status in REFUSALS:
        return WriteRefused(sentence)
    if status == 409:
        return foreign(host, collection, "it exists")
    return StoreUnavailable(STORE, host, f"{status} {sentence}")
