"""Perform an operation wherever the installation is open: in a running `lockstep run`, else here under the lock."""

from typing import Any

import httpx

from ingest import errors
from ingest.bootstrap import bootstrap
from ingest.errors import AlreadyRunning, LockstepError
from ingest.settings import Settings
from worker.directory_lock import Address, DirectoryLock, address_of
from worker.operations import perform

_TIMEOUT_S = 600.0


def call(settings: Settings, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The operation's answer, as JSON holds it. Raises its errors, AlreadyRunning when the holder does not answer."""
    if not settings.embedded:
        return _here(settings, operation, parameters)
    try:
        with DirectoryLock(settings.data):
            return _here(settings, operation, parameters)
    except AlreadyRunning:
        address = address_of(settings.data)
        if address is None:
            raise
        return _there(address, operation, parameters)


def _here(settings: Settings, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
    with bootstrap(settings) as lockstep:
        answer = perform(lockstep, operation, parameters)
    return answer | {"running": False} if operation == "status" else answer


def _there(address: Address, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
    try:
        reply = httpx.post(
            f"http://{address.host}:{address.port}/v1/{operation}",
            json=parameters,
            headers={"Authorization": f"Bearer {address.token}"},
            timeout=_TIMEOUT_S,
            trust_env=False,
        )
        said: dict[str, Any] = reply.json()
    except (httpx.HTTPError, ValueError) as error:
        raise AlreadyRunning(
            f"process {address.pid} holds the data folder and does not answer: wait for it, or stop it"
        ) from error
    if reply.is_error:
        raise _error(said)
    return said | {"running": True} if operation == "status" else said


def _error(said: dict[str, Any]) -> LockstepError:
    """The same kind of error as in process, so that exit codes agree."""
    kind = getattr(errors, str(said.get("kind", "")), None)
    base = next((k for k in (errors.Refused, errors.Transient) if isinstance(kind, type) and issubclass(kind, k)), None)
    return (base or errors.Permanent)(str(said.get("error", "the running process refused the request")))
