"""Settings of the server on which the durability of an acknowledged write rests."""

from collections.abc import Mapping
from typing import Any

from opensearchpy import OpenSearch

from ingest.model.server_setting import ServerSetting


def examine(client: OpenSearch, name: str) -> list[ServerSetting]:
    """Version, translog and copies of a physical index, and the state of its shards."""
    version = str(client.info()["version"]["number"])
    said = client.indices.get_settings(index=name, params={"include_defaults": "true", "flat_settings": "true"})[name]
    health = str(client.cluster.health(index=name, params={"level": "indices"})["status"])
    durability = _value(said, "index.translog.durability")
    return [
        ServerSetting("version", version, good=True),
        ServerSetting(
            "index.translog.durability",
            durability,
            good=durability == "request",
            do="set it to request: else an acknowledged write can be lost with the node",
        ),
        ServerSetting("index.number_of_replicas", _value(said, "index.number_of_replicas"), good=True),
        ServerSetting("health", health, good=health == "green", do="see `_cluster/allocation/explain` of the server"),
    ]


def _value(said: Mapping[str, Any], key: str) -> str:
    return str(said.get("settings", {}).get(key, said.get("defaults", {}).get(key, "unknown")))
