"""One route for every operation, behind a token and a Host check."""

import hmac
import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from ingest.errors import LockstepError, Permanent, Refused, Transient
from ingest.lockstep import Lockstep
from worker.operations import perform

log = logging.getLogger(__name__)

_LOOPBACK = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d+)?")
_STATUS: tuple[tuple[type[LockstepError], int], ...] = ((Refused, 422), (Transient, 503), (Permanent, 500))


def create_app(lockstep: Lockstep, token: str) -> FastAPI:
    """The application. Requests need `Authorization: Bearer TOKEN` and a loopback Host."""
    app = FastAPI(title="Lockstep", docs_url=None, redoc_url=None, openapi_url=None)

    @app.middleware("http")
    async def guard(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        # a page that a browser shows could send requests here under a name of its own (DNS rebinding)
        if not _LOOPBACK.fullmatch(request.headers.get("host", "")):
            return _refusal("wrong Host: this answers on the loopback only", 421)
        given = request.headers.get("authorization", "")
        if not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
            return _refusal("wrong token", 401)
        return await call_next(request)

    @app.get("/healthz")
    async def healthz() -> dict[str, str]:
        return {"status": "running"}

    @app.post("/v1/{operation}")
    async def operate(operation: str, parameters: dict[str, Any]) -> JSONResponse:
        try:
            return JSONResponse(await run_in_threadpool(perform, lockstep, operation, parameters))
        except LockstepError as error:
            status = next((code for kind, code in _STATUS if isinstance(error, kind)), 500)
            return _refusal(str(error), status, type(error).__name__)
        except Exception:
            # what the error says may hold text of documents: it is for the log, which leaves that out
            log.exception("operation failed", extra={"event": "api.failed", "operation": operation})
            return _refusal("the running process failed at this; its log says where", 500)

    @app.exception_handler(RequestValidationError)
    async def unreadable(_: Request, __: RequestValidationError) -> JSONResponse:
        return _refusal("the body must be one JSON object of parameters", 422)

    @app.exception_handler(HTTPException)
    async def elsewhere(_: Request, error: HTTPException) -> JSONResponse:
        return _refusal(str(error.detail), error.status_code)

    return app


def _refusal(message: str, status: int, kind: str = "") -> JSONResponse:
    return JSONResponse({"error": message, "kind": kind}, status)
