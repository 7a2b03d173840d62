"""Perform an operation wherever the installation is open: in a running `lockstep run`, else here under the lock."""

import time
from contextlib import ExitStack
from typing import Any

import httpx

from ingest import errors
from ingest.errors import AlreadyRunning, LockstepError
from ingest.settings import Settings
from worker.directory_lock import Address, DirectoryLock, address_of

_TIMEOUT_S = 600.0
WAIT_S = 10.0
"""How long a command waits for another one, or for a `lockstep run` that is starting or ending."""
_ASK_AGAIN_S = 0.05


def call(settings: Settings, operation: str, parameters: dict[str, Any], wait_s: float = WAIT_S) -> dict[str, Any]:
    """The operation's answer, as JSON holds it. Raises its errors, AlreadyRunning when the holder does not answer."""
    if not settings.embedded:
        return _here(settings, operation, parameters)
    ends = time.monotonic() + wait_s
    while True:
        with ExitStack() as stack:
            try:
                stack.enter_context(DirectoryLock(settings.data))
            except AlreadyRunning as error:
                refused = error
            else:
                return _here(settings, operation, parameters)
        address = address_of(settings.data)
        if address is not None:
            try:
                return _there(address, operation, parameters)
            except httpx.ConnectError:
                refused = AlreadyRunning(f"process {address.pid} holds {settings.data} and does not answer: stop it")
        if time.monotonic() >= ends:
            raise refused
        time.sleep(_ASK_AGAIN_S)


def _here(settings: Settings, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
    # a running process has them open already, and its commands need not wait a second for them
    from worker.in_process import perform_here  # noqa: PLC0415

    return perform_here(settings, operation, parameters)


def _there(address: Address, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Raises ConnectError when nobody listens: nothing has been asked then, and asking again is harmless."""
    try:
        reply = httpx.post(
            f"http://{address.host}:{address.port}/v1/{operation}",
            json=parameters,
            headers={"Authorization": f"Bearer {address.token}"},
            timeout=_TIMEOUT_S,
            trust_env=False,
        )
        said: dict[str, Any] = reply.json()
    except httpx.ConnectError:
        raise
    except (httpx.HTTPError, ValueError) as error:
        raise AlreadyRunning(
            f"process {address.pid} stopped before it answered, or answered nothing that can be read: try again"
        ) from error
    if reply.is_error:
        raise _error(said)
    return said | {"running": True} if operation == "status" else said


def _error(said: dict[str, Any]) -> LockstepError:
    """The same kind of error as in process, so that exit codes agree."""
    kind = getattr(errors, str(said.get("kind", "")), None)
    base = next((k for k in (errors.Refused, errors.Transient) if isinstance(kind, type) and issubclass(kind, k)), None)
    return (base or errors.Permanent)(str(said.get("error", "the running process refused the request")))
