"""Services as containers of `docker-compose.yml`, where a Docker engine answers."""

import os
import shutil
import subprocess
import zlib
from collections.abc import Sequence

from deploy.dev.console import progress
from deploy.dev.ports import HOST, free_port
from deploy.dev.processes import run
from deploy.dev.secret import password
from deploy.dev.state import TOP, Running, State

URLS = {
    "postgres": "postgresql+psycopg://lockstep:{password}@{host}:{port}/postgres",
    "redis": "redis://{host}:{port}/0",
    "opensearch": "http://{host}:{port}",
    "qdrant": "http://{host}:{port}",
}


def engine_answers() -> bool:
    """Whether there is an engine (a client alone does not count) and its compose plugin."""
    if not shutil.which("docker"):
        return False
    return all(
        _succeeds(question) for question in (["version", "--format", "{{.Server.Version}}"], ["compose", "version"])
    )


class Docker:
    """Starts and stops containers of one compose project per state folder."""

    name = "docker"
    offers = tuple(URLS)

    def __init__(self, state: State) -> None:
        self._state = state
        project = f"lockstep-dev-{zlib.crc32(str(state.folder).encode()):08x}"
        self._compose = ["docker", "compose", "--project-name", project, "--file", str(TOP / "docker-compose.yml")]

    def start(self, names: Sequence[str], *, fast: bool, kept: bool) -> None:
        """Start containers on free ports and return when all of them are healthy. The data lies in named volumes."""
        progress(f"docker: starting {', '.join(names)} (images are fetched the first time) ...")
        ports = {name: free_port() for name in names}
        secret = password(self._state, "postgres")
        env = {f"LOCKSTEP_{name.upper()}_PORT": str(port) for name, port in ports.items()}
        env |= {"LOCKSTEP_POSTGRES_PASSWORD": secret, "LOCKSTEP_POSTGRES_FSYNC": "off" if fast else "on"}
        for name, port in ports.items():
            url = URLS[name].format(password=secret, host=HOST, port=port)
            self._state.remember(Running(name, url, self.name, kept))
        run([*self._compose, "up", "--detach", "--wait", "--no-deps", *names], env=env)

    def alive(self, service: Running) -> bool:
        """Whether the service's container runs."""
        running = run([*self._compose, "ps", "--services", "--status", "running"])
        return service.name in running.split()

    def stop(self, services: Sequence[Running]) -> None:
        """Remove the services' containers; volumes stay."""
        run([*self._compose, "rm", "--stop", "--force", *(service.name for service in services)])
        for service in services:
            self._state.forget(service.name)

    def delete_data(self) -> None:
        """Remove the project's containers and volumes."""
        run([*self._compose, "down", "--volumes"])


def _succeeds(question: Sequence[str]) -> bool:
    try:
        command = ["docker", *question]
        asked = subprocess.run(command, capture_output=True, check=False, timeout=5, env=os.environ)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0
