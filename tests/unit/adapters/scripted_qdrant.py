"""A server that answers from a script, like a Qdrant 1.19 that has the troubles a test needs."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

COMPLETED = {"operation_id": 1, "status": "completed"}


@dataclass(frozen=True)
class Asked:
    """One request: `PUT /collections/c/points?wait=true` and its body."""

    line: str
    body: Any


@dataclass(frozen=True)
class Reply:
    """An HTTP status with a result, or with the sentence of an error."""

    result: Any = None
    status: int = 200
    error: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    version: str = ""

    @property
    def body(self) -> bytes:
        if self.version:
            return json.dumps({"title": "qdrant - vector search engine", "version": self.version}).encode()
        said = {"status": {"error": self.error}} if self.error else {"status": "ok", "result": self.result}
        return json.dumps({"time": 0.0, **said}).encode()


@dataclass
class Script:
    """Answers in turn; `asked` keeps the requests. When `answer` is set, it answers what the replies do not."""

    replies: list[Reply] = field(default_factory=list)
    answer: Callable[[Asked], Reply] | None = None
    asked: list[Asked] = field(default_factory=list)
    url: str = ""

    def next(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        if self.replies:
            return self.replies.pop(0)
        return self.answer(asked) if self.answer else Reply(status=500, error="the script has ended")


@contextmanager
def scripted() -> Iterator[Script]:
    """Serve a script on a free port."""
    script = Script()

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            reply = script.next(Asked(f"{self.command} {self.path}", body))
            self.send_response(reply.status)
            for name, value in (("Content-Type", "application/json"), *reply.headers):
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = handle_any  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
