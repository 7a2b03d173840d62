"""A directory tree as a source of documents."""

import os
import stat
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ingest.adapters.filesystem.decoding import check_encoding, decode
from ingest.adapters.filesystem.exact_name import exact_name
from ingest.adapters.filesystem.folder_access import FolderAccess
from ingest.adapters.filesystem.front_matter import split_front_matter
from ingest.adapters.filesystem.link import Links
from ingest.adapters.filesystem.listing import list_tree
from ingest.adapters.filesystem.names import parts_of, shown
from ingest.adapters.filesystem.selection import DEFAULT_INCLUDE, Selection
from ingest.adapters.filesystem.title import title_of
from ingest.adapters.filesystem.tree import Tree, identity_of
from ingest.adapters.filesystem.whole_file import NoFile, RawFile, read_whole
from ingest.model.access import Policy
from ingest.model.source import DocumentSeen, FileIdentity, FolderSeen, Gone, Listing, Media

_MARKDOWN = (".md", ".markdown", ".mdown", ".mkd")
_NOT_OURS = Gone("not part of the source: excluded, or no possible name of a document in it")


class FileSource:
    """Implements `ContentSource` for a directory tree; `Selection` says what belongs to it.

    - Symbolic links are never followed, whether to files or to folders, out of the tree or within it; only the root
      itself may be one. A document or folder behind a link is Gone, and the listing names the link.
    - A key is the names exactly as the file system lists them, so two names that differ in their Unicode form alone
      are two documents. A key from outside in another form is first resolved by `exact_key`.
    - `root_policy` is what the settings say of the root, as if of a folder above it: its allow counts where the
      root's access file states none, its deny always. Where both state an allow, the listing says that the file wins.
    - Front matter counts in every document, plain text included; in it the title, else the first heading.
    """

    def __init__(
        self,
        root: Path,
        *,
        include: Sequence[str] = DEFAULT_INCLUDE,
        exclude: Sequence[str] = (),
        directory: str = "local",
        root_policy: Policy | None = None,
        fallback_encoding: str | None = None,
        max_bytes: int = 20_000_000,
        link_template: str | None = None,
    ) -> None:
        """`exclude` adds to what is always excluded (`selection.ALWAYS_EXCLUDED`). `directory` is whose principals
        access files may name. `link_template` holds {key}; without it links are file URIs.

        Opens nothing. Raises SettingsInvalid for a pattern, encoding or template that is none.
        """
        self.root = root
        self.selection = Selection(include, exclude)
        self._tree = Tree(root)
        self._access = FolderAccess(directory, root_policy)
        self._fallback = check_encoding(fallback_encoding)
        self._max_bytes = max_bytes
        self._links = Links(root, link_template)

    def document(self, key: str) -> DocumentSeen | Gone:
        """See `ContentSource.document`."""
        parts = parts_of(key)
        if parts is None or not self.selection.document(parts):
            self._tree.check_root()
            return _NOT_OURS
        with self._tree.folder(parts[:-1]) as folder:
            if folder is None:
                return Gone("its folder is gone, or a symbolic link, which is never followed")
            raw = read_whole(folder, parts[-1], key=key, max_bytes=self._max_bytes)
        if isinstance(raw, NoFile):
            self._tree.check_root()
            return Gone(raw.value)
        return self._seen(key, raw)

    def _seen(self, key: str, raw: RawFile) -> DocumentSeen:
        decoded = decode(raw.data, shown=shown(key), fallback=self._fallback)
        front, text = split_front_matter(decoded.text, shown=shown(key))
        name = key.rpartition("/")[2]
        media: Media = "markdown" if name.lower().endswith(_MARKDOWN) else "plain"
        return DocumentSeen(
            text=text,
            media=media,
            identity=raw.identity,
            metadata=front.metadata,
            title=front.title or title_of(text, media=media, name=name),
            link=self._links.to(key),
            encoding=decoded.encoding,
            closed=front.closed,
        )

    def folder(self, key: str) -> FolderSeen | Gone:
        """See `ContentSource.folder`. The identity is the folder's own, not its access file's."""
        parts = parts_of(key)
        if parts is None or not self.selection.folder(parts):
            self._tree.check_root()
            return _NOT_OURS
        with self._tree.folder(parts) as folder:
            if folder is None:
                return Gone("gone, or a symbolic link, which is never followed")
            rules, file = self._access.read(folder, key)
            return FolderSeen(identity_of(os.fstat(folder)), rules, file)

    def identity(self, key: str) -> FileIdentity | None:
        """See `ContentSource.identity`."""
        parts = parts_of(key)
        status = None if parts is None else self._tree.status(parts)
        if parts is None or status is None:
            self._tree.check_root()
            return None
        folder = stat.S_ISDIR(status.st_mode) and self.selection.folder(parts)
        document = stat.S_ISREG(status.st_mode) and self.selection.document(parts)
        return identity_of(status) if folder or document else None

    def listing(self, under: str = "") -> Listing:
        """See `ContentSource.listing`; `folders` holds `under` itself too."""
        parts = parts_of(under)
        if parts is None:
            self._tree.check_root()
            return Listing({}, {}, {}, frozenset())
        found = list_tree(self._tree, self.selection, parts)
        if under or "" not in found.access_files:
            return found
        with self._tree.folder(()) as root:
            twice = self._access.overridden(root) if root is not None else None
        return replace(found, problems=(*found.problems, twice)) if twice else found

    def exact_key(self, key: str) -> str | None:
        """The key that the file system has for a key from outside, which may be in another Unicode form.

        A name that exists as written is taken; else the one name in the folder that differs only in its form. None
        when there is none or more than one: a deleted document is then found among known keys with `same_name`.
        Raises SourceUnavailable.
        """
        parts = parts_of(key)
        found: tuple[str, ...] = ()
        for part in parts or ():
            name = exact_name(self._tree, found, part)
            if name is None:
                return None
            found = (*found, name)
        return None if parts is None else "/".join(found)
