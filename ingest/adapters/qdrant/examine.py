"""Settings of the server on which the durability of an acknowledged write rests."""

import re

from qdrant_client import QdrantClient

from ingest.adapters.qdrant.collection import OLDEST
from ingest.model.server_setting import ServerSetting


def examine(client: QdrantClient, name: str, *, local: bool) -> list[ServerSetting]:
    """Version, copies of a collection, and how many of them a write waits for."""
    params = client.get_collection(name).config.params
    copies, written = params.replication_factor or 1, params.write_consistency_factor or 1
    factors = ServerSetting(
        "write_consistency_factor",
        f"{written} of {copies} copies",
        good=written == copies,
        do="set it to the replication factor: else an acknowledged write can be missing from a copy that is asked",
    )
    return [factors] if local else [_version(client), factors]


def _version(client: QdrantClient) -> ServerSetting:
    version = client.info().version
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    return ServerSetting("version", version, good=numbers >= OLDEST, do="upgrade the server to 1.19 or newer")
