"""Loopback ports: a free one to listen on, and whether somebody answers there."""

import random
import socket

HOST = "127.0.0.1"
# Below the range from which the kernel takes ports of outgoing connections (32768 and up on Linux):
# a port that was free stays free until a slow starter, such as OpenSearch, binds it.
LISTENING = range(20_000, 32_000)


def free_port() -> int:
    """A loopback port that nobody listens on at the moment."""
    draw = random.SystemRandom()
    for _ in range(200):
        port = draw.choice(LISTENING)
        if not _taken(port):
            return port
    raise OSError(f"no free port between {LISTENING.start} and {LISTENING.stop}")


def _taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return True
        return False
