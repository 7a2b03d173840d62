"""Reading one file whole, or not at all."""

import errno
import os
import stat
from dataclasses import dataclass
from enum import StrEnum

from ingest.adapters.filesystem.names import shown
from ingest.adapters.filesystem.tree import entry_status, identity_of, unavailable
from ingest.errors import ContentUnreadable, SourceUnavailable, SourceUnsettled
from ingest.failpoints import failpoint
from ingest.model.source import FileIdentity

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # NONBLOCK: a pipe must not hold the look


class NoFile(StrEnum):
    """Why there is nothing to read under a name."""

    GONE = "gone"
    LINK = "a symbolic link, which is never followed"
    SPECIAL = "not a regular file"


class Forbidden(SourceUnavailable):
    """This user may not read the file."""


@dataclass(frozen=True, slots=True)
class RawFile:
    """All bytes of a file, and what it was before and after they were read."""

    data: bytes
    identity: FileIdentity


def read_whole(folder: int, name: str, *, key: str, max_bytes: int) -> RawFile | NoFile:
    """Read a name in an open folder, without following a link.

    Raises SourceUnsettled when the file changed or was replaced meanwhile, ContentUnreadable when it is larger than
    `max_bytes`, Forbidden without the permission, SourceUnavailable on any other refusal of the system.
    """
    try:
        file = os.open(name, _READ, dir_fd=folder)
    except OSError as error:
        return _no_file(error, key)
    try:
        before = os.fstat(file)
        if not stat.S_ISREG(before.st_mode):
            return NoFile.SPECIAL
        if before.st_size > max_bytes:
            raise ContentUnreadable(f"{shown(key)} has {before.st_size} bytes, more than max_bytes ({max_bytes})")
        data = _read_to(file, before.st_size + 1)
        failpoint("whole_file.after_read")
        after = os.fstat(file)
    except OSError as error:
        raise unavailable(key, error) from error
    finally:
        os.close(file)
    # The name is asked again, and not only the open file:
    #   1) a look opens the file and reads it
    #   2) an editor renames a new file over the name; the open file is the old one, and did not change
    #   3) the look stores the old bytes, and its hint is completed by it
    # The name's status at the end is the new file's. Test: test_a_document_replaced_while_it_is_read_is_unsettled
    named = entry_status(folder, name, key)
    identity = identity_of(before)
    if len(data) != before.st_size or identity_of(after) != identity or not named or identity_of(named) != identity:
        raise SourceUnsettled(f"{shown(key)} changed while it was read")
    return RawFile(data, identity)


def _read_to(file: int, size: int) -> bytes:
    """At most `size` bytes; fewer only at the end of the file."""
    pieces: list[bytes] = []
    missing = size
    while missing and (piece := os.read(file, missing)):
        pieces.append(piece)
        missing -= len(piece)
    return b"".join(pieces)


def _no_file(error: OSError, key: str) -> NoFile:
    if error.errno == errno.ELOOP:
        return NoFile.LINK
    if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG}:
        return NoFile.GONE
    if error.errno in {errno.ENXIO, errno.ENODEV}:
        return NoFile.SPECIAL
    if error.errno in {errno.EACCES, errno.EPERM}:
        raise Forbidden(f"{shown(key)}: permission denied; let the user that runs Lockstep read it") from error
    raise unavailable(key, error) from error
