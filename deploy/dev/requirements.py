"""Programs that services need: which are missing, and the one line that installs them."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass

from deploy.dev.console import progress
from deploy.dev.errors import DevError, Missing
from deploy.dev.processes import run


@dataclass(frozen=True, slots=True)
class Requirement:
    """A program that was not found, and the Debian package that brings it."""

    what: str
    package: str


def satisfy(missing: Sequence[Requirement]) -> None:
    """Install what is missing where this process may. Raises Missing, at once, where it may not."""
    if not missing:
        return
    packages = sorted({requirement.package for requirement in missing})
    line = f"apt-get install -y --no-install-recommends {' '.join(packages)}"
    wanted = ", ".join(requirement.what for requirement in missing)
    if not shutil.which("apt-get"):
        raise Missing(f"not found: {wanted}. Install it with this system's package manager, or start a Docker engine.")
    if os.geteuid() != 0:
        raise Missing(f"not found: {wanted}. Install it with: sudo {line}")
    progress(f"not found: {wanted}; running: {line}")
    _apt_get(line.split())


def _apt_get(command: list[str]) -> None:
    # RUNLEVEL=1 keeps Debian's scripts from starting the service that was just installed.
    quiet = {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    try:
        run(command, env=quiet)
    except DevError:  # most often: package lists that were never fetched, or are old
        run(["apt-get", "update"], env=quiet)
        run(command, env=quiet)
