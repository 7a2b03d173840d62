"""Finding a name that was written in another Unicode form."""

import os
from collections.abc import Sequence

from ingest.adapters.filesystem.names import same_name
from ingest.adapters.filesystem.tree import Tree, entry_status, unavailable


def exact_name(tree: Tree, folder: Sequence[str], name: str) -> str | None:
    """The name as a folder lists it: as written where that exists, else the only one that means the same."""
    key = "/".join((*folder, name))
    with tree.folder(folder) as at:
        if at is None:
            return None
        if entry_status(at, name, key) is not None:
            return name
        if name.isascii():
            return None
        try:
            listed = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=at)
            try:
                alike = [other for other in os.listdir(listed) if same_name(other, name)]
            finally:
                os.close(listed)
        except OSError as error:
            raise unavailable(key, error) from error
    return alike[0] if len(alike) == 1 else None
