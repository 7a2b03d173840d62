"""Passwords of development services: other users of the machine reach loopback ports too."""

import secrets

from deploy.dev.state import State


def password(state: State, service: str) -> str:
    """The password of a service's data, made on first use and kept in the state folder."""
    file = state.folder / f"{service}.password"
    if not file.exists():
        state.write(file.name, secrets.token_hex(16))
    return file.read_text()
