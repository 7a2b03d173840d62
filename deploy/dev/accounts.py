"""Whose process a service is, and a data folder that this user can reach.

PostgreSQL refuses to run as root, and a Redis of root would write files as root for whoever talks to it.
"""

import os
import pwd
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from deploy.dev.state import State


@dataclass(frozen=True, slots=True)
class Account:
    """A user of the system that is not root."""

    name: str
    uid: int
    gid: int


def unprivileged(preferred: str) -> Account | None:
    """The user to run a service as when we are root: `preferred` where it exists, else nobody. None: as ourselves."""
    if os.geteuid() != 0:
        return None
    for name in (preferred, "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    raise LookupError("this system has no user nobody")


def data_folder(state: State, service: str, account: Account | None) -> Path:
    """The folder of a service's data, made for its user on first use.

    It is inside the state folder, unless that lies below a folder which the user may not enter (a checkout in /root):
    then it is under /var/tmp, and the state folder remembers where.
    """
    remembered = state.folder / f"{service}.folder"
    if remembered.exists():
        folder = Path(remembered.read_text())
        if folder.is_dir():
            return folder
    folder = state.folder / service
    if account is None:
        folder.mkdir(exist_ok=True)
    elif _may_enter(account, state.folder):
        folder.mkdir(exist_ok=True)
        os.chown(folder, account.uid, account.gid)
    else:
        folder = Path(tempfile.mkdtemp(prefix=f"lockstep-{service}-", dir="/var/tmp"))
        os.chown(folder, account.uid, account.gid)
    folder.chmod(0o700)
    state.write(remembered.name, str(folder))
    return folder


def delete_data(state: State, service: str) -> None:
    """Remove a stopped service's data, wherever it lies."""
    remembered = state.folder / f"{service}.folder"
    if remembered.exists():
        shutil.rmtree(remembered.read_text(), ignore_errors=True)
        remembered.unlink()


def _may_enter(account: Account, folder: Path) -> bool:
    """Whether the user has the execute bit on a folder and on all that it lies in (groups of the user left out)."""
    for part in (folder, *folder.parents):
        status = part.stat()
        needed = stat.S_IXUSR if status.st_uid == account.uid else stat.S_IXOTH
        if not status.st_mode & needed:
            return False
    return True
