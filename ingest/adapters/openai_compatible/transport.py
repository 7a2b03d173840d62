"""Requests that are sent again when that may help."""

import random
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import httpx

from ingest.adapters.openai_compatible.retry_after import retry_after_s
from ingest.adapters.openai_compatible.settings import OpenAICompatibleModelSettings
from ingest.adapters.tokenizer.counter import encodable
from ingest.errors import ModelBusy, StoreUnavailable

_ABOUT_THE_INPUT = frozenset({400, 413, 422})
_BUSY = frozenset({429, 503})
_TRY_AGAIN = _BUSY | {408, 425, 500, 502, 504}
_ERROR_CODE = re.compile(r"[a-z][a-z0-9_]{0,63}")


class RequestRefused(Exception):
    """The server understood and will not do it, because of what is in the request."""


class EmbeddingTransport:
    """Sends one list of inputs to the server, with retries. Bodies of errors are never quoted: they may repeat the
    input or the key."""

    def __init__(
        self,
        settings: OpenAICompatibleModelSettings,
        client: httpx.Client,
        wait: Callable[[float], None],
    ) -> None:
        self._settings = settings
        self._client = client
        self._wait = wait

    def post(self, inputs: Sequence[str]) -> Any:
        """The decoded JSON of a successful answer.

        Raises RequestRefused, ModelBusy (429 or 503 to the end, or a longer wait asked for than allowed) or
        StoreUnavailable (no connection, broken answers, a refused key, an unknown model).
        """
        for attempt in range(1, self._settings.attempts + 1):
            pause = self._backoff_s(attempt)
            reason, busy = "", False
            try:
                response = self._send(inputs)
            except httpx.RequestError as error:
                reason = type(error).__name__
            else:
                if response.status_code not in _TRY_AGAIN:
                    return self._read(response)
                busy = response.status_code in _BUSY
                reason = f"HTTP {response.status_code}"
                asked = retry_after_s(response.headers.get("retry-after"), datetime.now(UTC))
                pause = pause if asked is None else max(pause, asked)
            if attempt == self._settings.attempts or pause > self._settings.longest_wait_s:
                raise self._given_up(reason, busy, pause)
            self._wait(pause)
        raise AssertionError("attempts is at least 1")

    def _send(self, inputs: Sequence[str]) -> httpx.Response:
        settings = self._settings
        return self._client.post(
            f"{settings.base_url.rstrip('/')}/embeddings",
            json={"model": settings.model, "input": [encodable(text) for text in inputs], "encoding_format": "float"},
            headers={"Authorization": f"Bearer {settings.key}"} if settings.key else {},
            timeout=settings.timeout_s,
        )

    def _read(self, response: httpx.Response) -> Any:
        if response.status_code in _ABOUT_THE_INPUT:
            raise RequestRefused(_refusal(response))
        if response.status_code != HTTPStatus.OK:
            raise StoreUnavailable(self._called, self._settings.host, _advice(response.status_code))
        try:
            return response.json()
        except ValueError:
            raise StoreUnavailable(
                self._called, self._settings.host, "it answers with something else than JSON"
            ) from None

    def _given_up(self, reason: str, busy: bool, pause: float) -> ModelBusy | StoreUnavailable:
        if busy:
            return ModelBusy(self._settings.model, pause)
        return StoreUnavailable(self._called, self._settings.host, reason)

    def _backoff_s(self, attempt: int) -> float:
        longest = min(self._settings.first_wait_s * 2.0 ** (attempt - 1), self._settings.longest_wait_s)
        return longest * random.uniform(0.5, 1.0)  # noqa: S311 (spreads callers, keeps no secret)

    @property
    def _called(self) -> str:
        return f"the embedding model {self._settings.model}"


def _advice(status: int) -> str:
    if status in {401, 403}:
        return f"HTTP {status}: check the model's `key`"
    if status == HTTPStatus.NOT_FOUND:
        return "HTTP 404: check `base_url` and `model`"
    return f"HTTP {status}"


def _refusal(response: httpx.Response) -> str:
    """The status and, where it is one plain word, the server's code for the reason."""
    try:
        code = response.json()["error"]["code"]
    except (ValueError, KeyError, TypeError):
        code = None
    known = isinstance(code, str) and _ERROR_CODE.fullmatch(code)
    return f"HTTP {response.status_code}, {code}" if known else f"HTTP {response.status_code}"
