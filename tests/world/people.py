"""Who there is."""

from ingest.model.principal import PUBLIC, Principal

__all__ = ["ANN", "BLUE", "BOB", "CID", "PUBLIC", "RED", "group", "user"]


def user(name: str) -> Principal:
    """A person of the local directory."""
    return Principal(f"local:user:{name}")


def group(name: str) -> Principal:
    """A group of the local directory."""
    return Principal(f"local:group:{name}")


ANN, BOB, CID = user("ann"), user("bob"), user("cid")
RED, BLUE = group("red"), group("blue")
