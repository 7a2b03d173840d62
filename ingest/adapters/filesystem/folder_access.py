"""What a folder says of its readers: its access file, and for the root what the settings say above it."""

from dataclasses import dataclass, replace

from ingest.adapters.filesystem import access_file
from ingest.adapters.filesystem.decoding import decode
from ingest.adapters.filesystem.names import ACCESS_FILE, join, shown
from ingest.adapters.filesystem.tree import entry_status, identity_of
from ingest.adapters.filesystem.whole_file import Forbidden, NoFile, read_whole
from ingest.errors import ContentUnreadable, SourceUnsettled, Transient
from ingest.model.access import AccessRules, Policy, PolicyKind
from ingest.model.source import FileIdentity


@dataclass(frozen=True, slots=True)
class FolderAccess:
    """Reads access files. `root_policy` stands above the root: its allow counts where the root's file states none, its
    deny always, and neither where the file is broken."""

    directory: str
    root_policy: Policy | None = None

    def read(self, folder: int, key: str) -> tuple[AccessRules, FileIdentity | None]:
        """The rules of an open folder and its access file's identity, None without one.

        Raises SourceUnsettled when the file changed while it was read, SourceUnavailable on an I/O error.
        """
        rules, file = self._of_file(folder, join(key, ACCESS_FILE))
        above = self.root_policy
        if key or above is None or rules.problem:
            return rules, file
        own = rules.policy
        stated = own if own.kind is PolicyKind.STATED else above
        return replace(rules, policy=Policy(stated.kind, stated.allow, own.deny | above.deny)), file

    def overridden(self, root: int) -> str | None:
        """One line when the settings' allow does not count because the root's access file states its own."""
        try:
            stated = self.root_policy and self._of_file(root, ACCESS_FILE)[0].policy.kind is PolicyKind.STATED
        except Transient:
            return None  # a listing does not fail for a remark
        if not stated:
            return None
        return f"{ACCESS_FILE} of the root and the settings both say who may read the root; the file's allow counts"

    def _of_file(self, folder: int, file: str) -> tuple[AccessRules, FileIdentity | None]:
        try:
            raw = read_whole(folder, ACCESS_FILE, key=file, max_bytes=access_file.MAX_BYTES)
            if raw is NoFile.GONE:
                return AccessRules(), None
            if isinstance(raw, NoFile):
                reason = f"{shown(file)} is {raw.value}; put a file in its place"
                return access_file.broken(reason), _identity(folder, file)
            text = decode(raw.data, shown=shown(file)).text
        except (Forbidden, ContentUnreadable) as error:
            return access_file.broken(str(error)), _identity(folder, file)
        return access_file.read_rules(text, file=shown(file), directory=self.directory), raw.identity


def _identity(folder: int, file: str) -> FileIdentity:
    status = entry_status(folder, ACCESS_FILE, file)
    if status is None:
        raise SourceUnsettled(f"{shown(file)} went while it was read")
    return identity_of(status)
