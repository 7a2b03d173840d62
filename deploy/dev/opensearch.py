"""OpenSearch as a plain Java process: one real node, from the jars that `opensearch_jars.py` collects."""

import json
import urllib.error
import urllib.request
from pathlib import Path
from signal import Signals

from deploy.dev.accounts import data_folder
from deploy.dev.opensearch_jars import SOURCES, jars, missing_to_build, newest_jdk
from deploy.dev.ports import HOST
from deploy.dev.processes import Process, spawn
from deploy.dev.requirements import Requirement
from deploy.dev.state import State

HEAP = "512m"
JVM = (
    f"-Xms{HEAP}",
    f"-Xmx{HEAP}",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:TieredStopAtLevel=1",  # half the start-up time; a long run would be faster without
    "-Xlog:cds=off",
    "-Xlog:aot=off",
    "--enable-native-access=ALL-UNNAMED",
    "-Dio.netty.noUnsafe=true",
    "-Dio.netty.noKeySetOptimization=true",
    f"-Dlog4j2.configurationFile={SOURCES / 'log4j2.properties'}",
    "-Dlog4j2.disable.jmx=true",
    "-Dlog4j.shutdownHookEnabled=false",  # the node's own hook still logs while it closes
)


class OpenSearch:
    """Builds and starts a node. It has no security plugin: whoever is on this machine may talk to it."""

    name = "opensearch"
    stop_signal = Signals.SIGTERM  # also writes the class archive that speeds up the next start

    def missing(self) -> list[Requirement]:
        """A JDK to run it and, until the jars are there, Maven."""
        return missing_to_build()

    def prepare(self, state: State, port: int, *, fast: bool) -> "OpenSearchLaunch":
        """Collect the jars on first use. `fast` changes nothing: durability belongs to each index."""
        del fast
        return OpenSearchLaunch(jars(), data_folder(state, self.name, None), port, state.folder / "opensearch.log")


class OpenSearchLaunch:
    """One start of the node."""

    def __init__(self, library: Path, data: Path, port: int, log: Path) -> None:
        self.url = f"http://{HOST}:{port}"
        self.mark = f"path.home={data} "
        self.log = log
        self._library, self._data = library, data
        self._settings = {
            "path.home": data,
            "path.data": data / "data",
            "path.logs": data / "logs",
            "cluster.name": "lockstep-dev",
            "node.name": "dev",
            "discovery.type": "single-node",
            "network.host": HOST,
            "http.port": port,
            "transport.port": 0,
            "cluster.routing.allocation.disk.threshold_enabled": "false",  # a laptop's disk is often rather full
        }

    def spawn(self) -> Process:
        """Start the node."""
        java = newest_jdk() / "bin" / "java"
        archive = self._library / "classes.jsa"
        sharing = ("-XX:+AutoCreateSharedArchive", f"-XX:SharedArchiveFile={archive}")
        settings = [f"{name}={value}" for name, value in self._settings.items()]
        command = [str(java), *JVM, *sharing, "-cp", f"{self._library}/*", "DevNode", *settings]
        return spawn(command, log=self.log, folder=self._data, account=None)

    def answers(self) -> bool:
        """Whether the node has recovered its indexes and takes requests."""
        try:
            with urllib.request.urlopen(f"{self.url}/_cluster/health", timeout=2) as reply:  # noqa: S310 - our own http URL
                return json.load(reply)["status"] in {"green", "yellow"}
        except (OSError, ValueError):
            return False
