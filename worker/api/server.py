"""Serves the loopback API from a thread."""

import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from ingest.lockstep import Lockstep
from worker.api.app import create_app
from worker.directory_lock import Address

_STOP_S = 10.0


@contextmanager
def serving(lockstep: Lockstep, pid: int) -> Iterator[Address]:
    """Serve on a free loopback port, under a fresh token, until the block ends."""
    token = secrets.token_urlsafe(32)
    config = uvicorn.Config(create_app(lockstep, token), log_config=None, access_log=False, lifespan="off")
    server = uvicorn.Server(config)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="api", daemon=True)
    thread.start()
    try:
        yield Address("127.0.0.1", listener.getsockname()[1], token, pid)
    finally:
        server.should_exit = True
        thread.join(_STOP_S)
        listener.close()
