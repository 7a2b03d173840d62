"""A server that speaks `/v1/embeddings` on the loopback, on the stand-in model or by script."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from ingest.adapters.memory.embedding_model import MemoryEmbeddingModel
from ingest.adapters.onnx.presets import MINILM_TOKENIZER
from ingest.adapters.openai_compatible.model import OpenAICompatibleEmbeddingModel
from ingest.adapters.openai_compatible.settings import OpenAICompatibleModelSettings
from ingest.errors import InputRejected


@dataclass(frozen=True)
class Reply:
    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def inputs(self) -> Sequence[str]:
        inputs: Sequence[str] = self.body["input"]
        return inputs


class EmbeddingServer:
    """Answers with `script` first, one reply a request, then by its model; notes every request."""

    def __init__(self, behind: MemoryEmbeddingModel | None = None) -> None:
        self.behind = behind or MemoryEmbeddingModel(limit=100_000)
        self.script: list[Reply] = []
        self.requests: list[Request] = []
        self.waits: list[float] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @contextmanager
    def model(self, **changed: Any) -> Iterator[OpenAICompatibleEmbeddingModel]:
        """A model that asks this server; its pauses are noted in `waits` and not made."""
        given = {"base_url": self.url, "model": "stand-in", "tokenizer": MINILM_TOKENIZER, "max_tokens": 256}
        settings = OpenAICompatibleModelSettings(**{**given, "dimension": self.behind.dimension, **changed})
        model = OpenAICompatibleEmbeddingModel(settings, wait=self.waits.append)
        try:
            yield model
        finally:
            model.close()

    def answer(self, request: Request) -> Reply:
        self.requests.append(request)
        if self.script:
            return self.script.pop(0)
        try:
            vectors = self.behind.embed_passages(request.inputs) * 3
        except InputRejected as refused:
            return Reply(400, {"error": {"code": "invalid_input", "message": f"bad: {request.inputs[refused.row]}"}})
        rows = [{"index": row, "embedding": vector} for row, vector in enumerate(vectors.tolist())]
        return Reply(200, {"data": rows[::-1]})

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                reply = server.answer(Request(self.path, dict(self.headers.items()), body))
                raw = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                self.send_response(reply.status)
                for name, value in {**reply.headers, "content-length": str(len(raw))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class's name)
                pass

        return Handler

    def __enter__(self) -> "EmbeddingServer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=10)
