"""Services as processes of installed programs."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from deploy.dev.accounts import delete_data
from deploy.dev.console import progress
from deploy.dev.errors import DevError
from deploy.dev.opensearch import OpenSearch
from deploy.dev.ports import free_port
from deploy.dev.postgres import Postgres
from deploy.dev.processes import Process, end, last_lines
from deploy.dev.redis import Redis
from deploy.dev.requirements import satisfy
from deploy.dev.service import Launch, Service
from deploy.dev.state import Running, State

SERVICES: dict[str, Service] = {service.name: service for service in (Postgres(), OpenSearch(), Redis())}
PATIENCE_S = 120.0  # for a node's first start on a busy machine; others need a second or two
STOP_PATIENCE_S = 30.0


class Packages:
    """Starts and stops services of the system's packages."""

    name = "packages"
    offers = tuple(SERVICES)

    def __init__(self, state: State) -> None:
        self._state = state
        self._writing = Lock()

    def start(self, names: Sequence[str], *, fast: bool, kept: bool) -> None:
        """Start services side by side and return when all of them answer."""
        install(names)
        services = [SERVICES[name] for name in names]
        with ThreadPoolExecutor(len(services)) as side_by_side:
            list(side_by_side.map(lambda service: self._start(service, fast=fast, kept=kept), services))

    def alive(self, service: Running) -> bool:
        """Whether the very process that was started still runs."""
        return _process(service).alive(service.mark)

    def stop(self, services: Sequence[Running]) -> None:
        """End services side by side, and what is not among them never."""
        with ThreadPoolExecutor(max(1, len(services))) as side_by_side:
            list(side_by_side.map(self._stop, services))

    def delete_data(self) -> None:
        """Remove the data of all services, which must have been stopped."""
        for name in SERVICES:
            delete_data(self._state, name)

    def _start(self, service: Service, *, fast: bool, kept: bool) -> None:
        began = time.monotonic()
        launch = service.prepare(self._state, free_port(), fast=fast)
        process = launch.spawn()
        # Noted before it answers: a start that is interrupted leaves nothing that `stop` does not know.
        running = Running(service.name, launch.url, self.name, kept, process.pid, process.started, launch.mark)
        with self._writing:
            self._state.remember(running)
        if not _wait(launch, process):
            self._stop(running)
            log = launch.log.read_text(errors="replace")
            raise DevError(f"{service.name} did not start; the end of {launch.log}:\n{last_lines(log)}")
        progress(f"{service.name}: answers after {time.monotonic() - began:.1f} s (process {process.pid})")

    def _stop(self, service: Running) -> None:
        end(_process(service), service.mark, SERVICES[service.name].stop_signal, STOP_PATIENCE_S)
        with self._writing:
            self._state.forget(service.name)


def install(names: Sequence[str] = tuple(SERVICES)) -> None:
    """Have the programs of these services, by installing what is missing. Raises Missing where that is not allowed."""
    satisfy([requirement for name in names for requirement in SERVICES[name].missing()])


def _process(service: Running) -> Process:
    return Process(service.pid, service.started)


def _wait(launch: Launch, process: Process) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if launch.answers():
            return True
        if not process.alive(launch.mark):
            return False
        time.sleep(0.05)
    return False
