"""The client, made when it is first needed and anew in every process."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from urllib.parse import urlsplit

from qdrant_client import QdrantClient
from qdrant_client.local.qdrant_local import QdrantLocal

TIMEOUT_S = 60


class Connection:
    """Gives the client of the process that asks: sockets that a fork shares mix up two processes' answers.

    One connection serves any number of collections. A client in local mode is given to one thread at a time:
    two at once damage its collections for good.
    """

    def __init__(self, server: str | QdrantClient, *, api_key: str | None = None, timeout_s: int = TIMEOUT_S) -> None:
        """`server` is a URL, or a client that stays the caller's. `timeout_s`: the client's own 5 s are too few for
        a write that waits, which would then be applied although it counts as failed."""
        self._lock = RLock()
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._given = server if isinstance(server, QdrantClient) else None
        self._url = server if isinstance(server, str) else ""
        self._made: QdrantClient | None = None
        self._process = 0
        self.local = self._given is not None and isinstance(self._given._client, QdrantLocal)

    @property
    def host(self) -> str:
        """Where the server is, for messages: never a password."""
        if self.local:
            return "this process"
        return urlsplit(self._url).netloc.rpartition("@")[2] if self._url else "the given client's server"

    @contextmanager
    def client(self) -> Iterator[QdrantClient]:
        """The client of this process, for one call or a few."""
        if self._given is None:
            yield self._current()
        elif self.local:
            with self._lock:
                yield self._given
        else:
            yield self._given

    def close(self) -> None:
        """Close the sockets of a client that was made here; the next call makes a new one."""
        with self._lock:
            made, self._made = self._made, None
            if made is not None and self._process == os.getpid():
                made.close()

    def _current(self) -> QdrantClient:
        with self._lock:
            if self._made is None or self._process != os.getpid():
                self._made, self._process = self._make(), os.getpid()
            return self._made

    def _make(self) -> QdrantClient:
        # The check of versions would warn, at a moment when nobody reads warnings: `create` checks.
        return QdrantClient(url=self._url, api_key=self._api_key, timeout=self._timeout_s, check_compatibility=False)
