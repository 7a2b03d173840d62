"""Heartbeat: keeps the leases of documents in flight from running out while their worker is alive."""

import logging
import threading
from collections.abc import Iterable
from types import TracebackType
from typing import Self

from ingest.catalog import indexing
from ingest.catalog.database import Database
from ingest.catalog.indexing import Lease
from ingest.errors import Transient

log = logging.getLogger(__name__)


class Heartbeat:
    """Renews the leases it was given every `every_s` seconds, from a thread of its own, until they are let go."""

    def __init__(self, database: Database, *, lease_s: float, every_s: float) -> None:
        self._database = database
        self._lease_s = lease_s
        self._every_s = every_s
        self._held: dict[int, Lease] = {}
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._ended.set()
        self._thread.join()

    def hold(self, leases: Iterable[Lease]) -> None:
        """Keep these alive."""
        with self._lock:
            self._held |= {lease.document_id: lease for lease in leases}

    def let_go(self, leases: Iterable[Lease]) -> None:
        """These have their verdict."""
        with self._lock:
            for lease in leases:
                self._held.pop(lease.document_id, None)

    def _beat(self) -> None:
        while not self._ended.wait(self._every_s):
            with self._lock:
                leases = list(self._held.values())
            if not leases:
                continue
            try:
                with self._database.write() as tx:
                    indexing.renew(tx, leases, self._lease_s)
            except Transient as error:
                # the next beat tries again; should the leases run out meanwhile, the tokens fence
                log.warning("heartbeat missed", extra={"event": "heartbeat.missed", "reason": str(error)})
