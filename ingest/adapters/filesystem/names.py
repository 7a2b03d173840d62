"""Keys and names: which can exist in a tree, and which mean the same to a person."""

import unicodedata
from typing import Final

ACCESS_FILE: Final = ".access.yaml"


def parts_of(key: str) -> tuple[str, ...] | None:
    """The names a key consists of; none for the root ''. None when no file below a root can have the key.

    Refused are `..` and `.`, empty names (so also absolute keys), NUL, and names that are not UTF-8.
    """
    if not key:
        return ()
    parts = tuple(key.split("/"))
    return parts if all(is_plain(part) for part in parts) else None


def is_plain(name: str) -> bool:
    """Whether this can be the name of one file in one folder."""
    return name not in {"", ".", ".."} and "/" not in name and "\0" not in name and is_text(name)


def is_text(name: str) -> bool:
    """Whether the file system's bytes were UTF-8: Python shows others as lone surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def join(folder: str, name: str) -> str:
    """The key of a name in a folder."""
    return f"{folder}/{name}" if folder else name


def shown(key: str) -> str:
    """A key as one line of a message can hold it."""
    return key if key.isprintable() else ascii(key)


def same_name(left: str, right: str) -> bool:
    """Whether two names or keys differ at most in their Unicode form (`é` as one character or as two)."""
    return left == right or unicodedata.normalize("NFC", left) == unicodedata.normalize("NFC", right)


def forms(name: str) -> tuple[str, ...]:
    """The name as written, composed and decomposed, each once."""
    return tuple(dict.fromkeys((name, *(unicodedata.normalize(form, name) for form in ("NFC", "NFD")))))
