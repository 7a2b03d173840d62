"""The client, made when it is first needed and anew in every process."""

import logging
import os
from collections.abc import Sequence
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from opensearchpy import OpenSearch

from ingest.adapters.opensearch.settings import OpenSearchSettings

# The client logs each failed request with a traceback, which Python prints where nobody listens; ours is one line.
logging.getLogger("opensearch").addHandler(logging.NullHandler())

CONNECTIONS = 16
"""How many threads may talk to one host at once without waiting for each other."""


class Connection:
    """Gives the client of the process that asks: sockets that a fork shares mix up two processes' answers."""

    def __init__(self, hosts: Sequence[str] | OpenSearch, settings: OpenSearchSettings) -> None:
        """`hosts` are URLs, with user and password where the server wants them; or a client that stays the caller's."""
        self._lock = Lock()
        self._settings = settings
        self._given = hosts if isinstance(hosts, OpenSearch) else None
        self._hosts = () if isinstance(hosts, OpenSearch) else tuple(hosts)
        self._made: OpenSearch | None = None
        self._process = 0

    @property
    def host(self) -> str:
        """Where the server is, for messages: never a password."""
        if self._given is not None:
            return ", ".join(f"{h.get('host')}:{h.get('port', 9200)}" for h in self._given.transport.hosts)
        return ", ".join(urlsplit(url if "//" in url else f"//{url}").netloc.rpartition("@")[2] for url in self._hosts)

    @property
    def client(self) -> OpenSearch:
        """The client of this process."""
        if self._given is not None:
            return self._given
        with self._lock:
            if self._made is None or self._process != os.getpid():
                self._made, self._process = self._make(), os.getpid()
            return self._made

    def close(self) -> None:
        """Close the sockets of a client that was made here."""
        with self._lock:
            made, self._made = self._made, None
            if made is not None and self._process == os.getpid():
                made.close()

    def _make(self) -> OpenSearch:
        options: dict[str, Any] = {"ca_certs": self._settings.ca_certs} if self._settings.ca_certs else {}
        return OpenSearch(list(self._hosts), timeout=self._settings.timeout_s, pool_maxsize=CONNECTIONS, **options)
