"""A setting of a server, as `lockstep doctor` shows it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerSetting:
    """Its value now, whether that is good, and what to do when it is not."""

    name: str
    value: str
    good: bool
    do: str = ""
