"""A TCP proxy before a server, that a test can cut and join again: the server itself belongs to other tests too."""

import selectors
import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self


class Proxy:
    """Forwards connections on a loopback port. Cut, it drops those it has and refuses new ones."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._listener: socket.socket | None = None
        self._pairs: dict[socket.socket, socket.socket] = {}
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self.port = 0
        self.join()
        self._thread = threading.Thread(target=self._forward, name="proxy")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stopping.set()
        self._thread.join()
        self.cut()

    def join(self) -> None:
        """Take connections (again), on the same port."""
        with self._lock:
            if self._listener is not None:
                return
            self._listener = socket.create_server(("127.0.0.1", self.port), backlog=64)
            self._listener.setblocking(False)
            self.port = self._listener.getsockname()[1]

    def cut(self) -> None:
        """Drop every connection and refuse new ones."""
        with self._lock:
            for one in [*self._pairs, *([self._listener] if self._listener else [])]:
                one.close()
            self._pairs.clear()
            self._listener = None

    def _forward(self) -> None:
        while not self._stopping.is_set():
            with self._lock:
                listener, pairs = self._listener, dict(self._pairs)
            with selectors.DefaultSelector() as ready, suppress(OSError, ValueError, KeyError):
                for one in [*pairs, *([listener] if listener else [])]:
                    ready.register(one, selectors.EVENT_READ)
                for key, _ in ready.select(0.01):
                    if key.fileobj is listener:
                        self._accept(listener)
                    elif isinstance(key.fileobj, socket.socket):
                        self._pass_on(key.fileobj)
            if not pairs and listener is None:
                self._stopping.wait(0.01)

    def _accept(self, listener: socket.socket | None) -> None:
        assert listener is not None
        near, _ = listener.accept()
        near.setblocking(True)
        far = socket.create_connection(self._target)
        with self._lock:
            self._pairs |= {near: far, far: near}

    def _pass_on(self, one: socket.socket) -> None:
        other = self._pairs[one]
        try:
            data = one.recv(1 << 16)
        except OSError:
            data = b""
        if data:
            other.sendall(data)
            return
        with self._lock:
            for end in (one, other):
                self._pairs.pop(end, None)
                end.close()
