"""The oracle: what the promises allow, kept beside the catalog by watching every commit, and never by its own logic.

It counts its own time (`now`), one tick for everything that happens. From the raw rows after each commit it keeps what
was published when, who may read what since when, and which text was known to be out of date since when.
"""

import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from ingest.adapters.memory.content_tree import Folder
from ingest.model.access import AccessRules
from ingest.model.chunk import hash_input
from ingest.model.principal import Principal
from ingest.model.record import RecordId
from ingest.model.source import DocumentSeen, Membership
from tests.property.protocol.catalog import Catalog, read
from tests.property.protocol.rig import Rig, raw
from tests.property.protocol.strands import Process
from tests.property.protocol.truth import Chunk, chunks_of, closure
from tests.property.protocol.violation import Violation

Caller = frozenset[Principal]
_NEVER = 1 << 62


class Oracle:
    """Watches one rig. The first violation is kept in `violation`; the driver raises it."""

    def __init__(self, rig: Rig, callers: Mapping[str, Caller]) -> None:
        self.rig = rig
        self.db = raw(rig.database)
        self.callers = callers
        self.now = 0
        self.violation: Violation | None = None
        self.catalog: Catalog = read(self.db)
        self.closures: dict[str, frozenset[Principal]] = {}
        self.texts: defaultdict[int, dict[int, tuple[Chunk, ...]]] = defaultdict(lambda: {0: ()})
        self.published: dict[int, dict[int, int]] = {0: {}}
        self.allowed_since: dict[tuple[str, int], int] = {}
        self.stale: defaultdict[int, dict[str, int]] = defaultdict(dict)
        self.behind: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        """Since when, until when a document was known to be out of date."""
        self.touched: dict[object, int] = {}
        self.dead: set[int] = set()
        self.lost: set[RecordId] = set()
        self.strays: set[RecordId] = set()
        self.late_patched: set[int] = set()
        self._acked_rules: dict[str, tuple[int, AccessRules | None]] = {}
        self._stored_rules: dict[str, tuple[int, AccessRules | None]] = {}
        self._said: tuple[int, frozenset[Membership]] = (0, frozenset())
        self._syncs: dict[Process, tuple[int, frozenset[Membership]]] = {}
        self._inbox = 0
        self.closures = {name: closure(caller, self.catalog.edges) for name, caller in callers.items()}

    def close(self) -> None:
        """Release the connection."""
        self.db.close()

    def fail(self, promise: str, what: str) -> None:
        """Keep the first violation; whoever runs goes on, so that no handler of the library can swallow it."""
        self.violation = self.violation or Violation(promise, what)

    def tick(self) -> int:
        """Something happened."""
        self.now += 1
        return self.now

    # what the world tells

    def reading(self, process: Process | None, key: str) -> None:
        """A document or an access file is being read: what is there now is what is read."""
        at = self.rig.tree.find(key)
        if process is None:
            return
        seen = at.rules if isinstance(at, Folder) else at.text if isinstance(at, DocumentSeen) else None
        process.facts.setdefault("reads", {})[key] = (self.tick(), seen)
        if process.facts.pop("folder next", False):
            process.facts["folder"] = key

    def passed(self, process: Process, point: str) -> None:
        """A process passes a point."""
        if point == "folder_look.before_read":
            process.facts["folder next"] = True
        elif point == "folder_look.after_commit":
            self._folder_stored(process)
        elif point == "plan.done":
            process.facts["cached"] = {row[0] for row in self.db.execute("SELECT input_hash FROM embeddings")}
        elif point == "access.before_patch":
            process.facts["tokens"] = {i: row.token for i, row in self.catalog.indexing.items()}

    def computing(self, inputs: Sequence[str]) -> None:
        """The model is asked (P8)."""
        process = self.rig.floor.process
        cached = process.facts.get("cached", set()) if process else set()
        for text in inputs:
            if hash_input(text) in cached:
                self.fail("P8", f"an input that was in the cache is computed again: {text!r}")

    def patched(self, ids: Collection[RecordId]) -> None:
        """Access fields are being written; by a worker that lost its lease, only the audit can find them."""
        process = self.rig.floor.process
        tokens = process.facts.get("tokens", {}) if process else {}
        for document in self.documents_of(ids):
            row = self.catalog.indexing.get(document)
            if row is not None and row.token != tokens.get(document):
                self.late_patched.add(document)

    def documents_of(self, ids: Collection[RecordId]) -> set[int]:
        """Whose records these are."""
        marks = ",".join("?" * len(ids))
        of = self.db.execute(f"SELECT DISTINCT document_id FROM records WHERE id IN ({marks})", _keys(ids))  # noqa: S608
        return {document for (document,) in of}

    def directory_read(self, process: Process, said: frozenset[Membership]) -> None:
        """A sync has been given the directory's whole answer."""
        self._syncs[process] = (self.tick(), said)

    def synced(self, process: Process) -> None:
        """A sync has ended: what it read is acknowledged (P4), unless a later reading is already."""
        read_at, said = self._syncs.pop(process)
        if read_at < self._said[0]:
            return
        self._said = (read_at, said)
        if back := self.catalog.edges - self._edges_said():
            self.fail("P4", f"edges that the directory no longer has are in force after its sync: {_names(back)}")

    def _edges_said(self) -> frozenset[Membership]:
        """Edges of the newest acknowledged reading, and of newer ones that are being applied."""
        newer = [said for read_at, said in self._syncs.values() if read_at >= self._said[0]]
        return self._said[1].union(*newer)

    # after every commit

    def committed(self) -> None:
        """Compare the rows with those before."""
        now = self.tick()
        process = self.rig.floor.process
        before, after = self.catalog, read(self.db)
        self.catalog = after
        self._forget(before, after)
        self._contents(before, after, process, now)
        self._acknowledged(after, now)
        self._documents(before, after)
        if before.access != after.access:
            self._access(before, after, now)
            self._edges(before, after, process)
        self._behind(after, now)
        self._published(before, after)
        self._known_to_be_stale(after)

    def check_fields(self) -> None:
        """Where the catalog says which access fields all open records carry, both stores must hold just these (P9)."""
        rows = self.db.execute("SELECT id, document_id FROM records WHERE from_epoch NOT NULL AND to_epoch IS NULL")
        for key, document in rows:
            said = self.catalog.indexing[document]
            record = record_id(key)
            if said.carried is None or said.access_due or document in self.late_patched or record in self.lost:
                continue
            for store in (self.rig.lexical, self.rig.vector):
                if store.fields(record).digest != said.carried:
                    self.fail(
                        "P9", f"{self.catalog.key(document)}: a store holds other access fields than it is said to"
                    )

    def _forget(self, before: Catalog, after: Catalog) -> None:
        for document in before.documents.keys() - after.documents.keys():
            for kept in (self.texts, self.stale, self.behind):
                kept.pop(document, None)
            self.dead.discard(document)
            self.late_patched.discard(document)
        for document in before.indexing.keys() - after.indexing.keys():
            for versions in self.published.values():
                versions.pop(document, None)

    def _contents(self, before: Catalog, after: Catalog, process: Process | None, now: int) -> None:
        for document, row in after.documents.items():
            old = before.documents.get(document)
            if old is not None and old.version == row.version and old.looked_at == row.looked_at:
                if old.revision == row.revision:
                    continue
            if old is None or old.version != row.version:
                self._new_version(document, row.version, row.dead, now)
            looked = row.version > 0 and not row.dead and (old is None or old.revision != row.revision)
            if looked and process is not None and row.policy is not None:
                self._confirmed(document, after, process, old is None or old.version != row.version)

    def _new_version(self, document: int, version: int, dead: bool, now: int) -> None:
        found = self.db.execute(
            "SELECT version, body, metadata FROM contents WHERE document_id = ?", (document,)
        ).fetchone()
        chunks: tuple[Chunk, ...] = ()
        if found is not None and not dead:
            chunks = chunks_of(zlib.decompress(found[1]).decode(), json.loads(found[2]))
        known = {chunk.text for chunks_ in self.texts[document].values() for chunk in chunks_}
        self.texts[document][version] = chunks
        for text in known - {chunk.text for chunk in chunks}:
            self.stale[document].setdefault(text, now)

    def _confirmed(self, document: int, after: Catalog, process: Process, new: bool) -> None:
        """A look stored or confirmed a document: its text is up to date as of when it was read."""
        key = after.key(document)
        read_at, seen = process.facts.get("reads", {}).get(key, (-1, None))
        if not isinstance(seen, str):
            return
        texts = {chunk.text for chunk in self.texts[document][after.documents[document].version]}
        if new and texts != {part for part in seen.split("\n\n") if part.strip()}:
            self.fail("P6", f"what was stored of {key} is not what was read there")
        stale = self.stale[document]
        for text in [text for text in texts if stale.get(text, _NEVER) < read_at]:
            del stale[text]

    def _acknowledged(self, after: Catalog, now: int) -> None:
        rows = self.db.execute(
            "SELECT id, body, document_id FROM inbox WHERE id > ? ORDER BY id", (self._inbox,)
        ).fetchall()
        self._inbox = self.db.execute("SELECT coalesce(max(id), 0) FROM inbox").fetchone()[0]
        for _, body, document in rows:
            said = json.loads(body)
            at = self.rig.tree.find(said["key"])
            if said["kind"] == "FolderHint":
                self._acked_rules[said["key"]] = (now, at.rules if isinstance(at, Folder) else None)
            elif said["kind"] == "DocumentDeleted":
                if not after.documents[document].dead:
                    self.fail("P4", f"{said['key']} lives after its delete was acknowledged")
            else:
                there = set(at.text.split("\n\n")) if isinstance(at, DocumentSeen) else set()
                known = {chunk.text for chunks in self.texts[document].values() for chunk in chunks}
                for text in known - there:
                    self.stale[document].setdefault(text, now)

    def _folder_stored(self, process: Process) -> None:
        """A look at an access file has been stored (P6)."""
        key = process.facts["folder"]
        read_at, seen = process.facts["reads"][key]
        for told, how in ((self._acked_rules, "acknowledged"), (self._stored_rules, "stored")):
            when, rules = told.get(key, (0, seen))
            if read_at < when and rules != seen:
                self.fail("P6", f"the access file of {key!r} was stored as it was before a change that was {how}")
        if read_at >= self._stored_rules.get(key, (0, None))[0]:
            self._stored_rules[key] = (read_at, seen)

    def _documents(self, before: Catalog, after: Catalog) -> None:
        for document, row in after.documents.items():
            if row.dead:
                self.dead.add(document)
            elif document in self.dead:
                self.fail("P6", f"{after.key(document)} was deleted and lives again")
            elif row.version > 0 and row.policy != "unreadable":
                entries = after.entries.get(("d", document), {})
                own = (row.policy, entries.get("a", frozenset()), entries.get("d", frozenset()))
                if row.closed or own != after.rule_of(document):
                    self.fail("P3", f"{after.key(document)} has not the policy that its folder states for it")

    def _access(self, before: Catalog, after: Catalog, now: int) -> None:
        self.closures = {name: closure(caller, after.edges) for name, caller in self.callers.items()}
        for edge in before.edges ^ after.edges:
            self.touched[edge.member] = now
        for key in before.entries.keys() | after.entries.keys():
            if before.entries.get(key) != after.entries.get(key):
                self.touched[key] = now
        for i, folder in after.folders.items():
            if before.folders.get(i) != folder:
                self.touched["f", i] = now
        for i, row in after.documents.items():
            old = before.documents.get(i)
            if old is None or (old.folder, old.policy, old.hidden) != (row.folder, row.policy, row.hidden):
                self.touched["d", i] = now
        if before.live != after.live:
            self.touched["source"] = now
        allowed = {
            (name, document)
            for document in after.documents
            for name, caller in self.closures.items()
            if after.admits(document, caller)
        }
        kept = {pair: since for pair, since in self.allowed_since.items() if pair in allowed}
        self.allowed_since = dict.fromkeys(allowed, now) | kept

    def _edges(self, before: Catalog, after: Catalog, process: Process | None) -> None:
        if back := after.edges - before.edges - self._edges_said():
            self.fail("P4", f"edges that were removed and acknowledged are back: {_names(back)}")
        read_at, _ = self._syncs.get(process, (self.now, frozenset())) if process else (self.now, frozenset())
        gone = (before.edges - after.edges) & self._said[1]
        if gone and read_at < self._said[0]:
            self.fail("P6", f"an older reading of the directory removed edges of a newer one: {_names(gone)}")

    def _behind(self, after: Catalog, now: int) -> None:
        for document, row in after.indexing.items():
            periods = self.behind[document]
            if row.behind is not None and (not periods or periods[-1][1] < _NEVER):
                periods.append((now, _NEVER))
            elif row.behind is None and periods and periods[-1][1] == _NEVER:
                periods[-1] = (periods[-1][0], now)

    def _published(self, before: Catalog, after: Catalog) -> None:
        moved = {
            i: row.published
            for i, row in after.indexing.items()
            if row.published != (before.indexing[i].published if i in before.indexing else 0)
        }
        if not moved and before.epoch == after.epoch:
            return
        if after.epoch != before.epoch + 1:
            self.fail(
                "P1", f"{len(moved)} documents were published, the epoch went from {before.epoch} to {after.epoch}"
            )
        old = self.published[before.epoch]
        self.published[after.epoch] = {i: row.published for i, row in after.indexing.items()}
        for document, version in moved.items():
            if version < old.get(document, 0):
                self.fail("P6", f"version {version} was published over {old[document]}")
            self._one_published(document, version, old.get(document, 0), after.epoch)

    def _known_to_be_stale(self, after: Catalog) -> None:
        """While visible text is known to be out of date, the catalog says so: a widening would expose it else (P3)."""
        for document, row in after.indexing.items():
            if row.behind is None and document not in self.dead and (stale := self.stale[document]):
                known = [chunk.text for chunk in self.texts[document].get(row.published, ()) if chunk.text in stale]
                if known:
                    self.fail("P3", f"{known} of {after.key(document)} is known to be out of date, and nothing says so")

    def _one_published(self, document: int, version: int, old: int, epoch: int) -> None:
        rows = self.db.execute(
            "SELECT body, metadata, from_epoch, to_epoch, stale_since, lost FROM records WHERE document_id = ? "
            "AND from_epoch NOT NULL AND (to_epoch IS NULL OR to_epoch = ?) ORDER BY order_key",
            (document, epoch),
        ).fetchall()
        expected = self.texts[document].get(version)
        chunk = {row: Chunk(row[0], tuple(json.loads(row[1]))) for row in rows}
        opened = [chunk[row] for row in rows if row[3] is None]
        if expected is None or list(expected) != opened:
            self.fail("P1", f"version {version} of document {document} was published as {opened}, it says {expected}")
            return
        closed = [row for row in rows if row[3] == epoch]
        if any(row[4] is None for row in closed):
            self.fail("P3", f"a record of document {document} was closed without saying since when it is out of date")
        lost = Counter(chunk[row] for row in closed if row[5])
        added = Counter(chunk[row] for row in rows if row[2] == epoch)
        needed = Counter(expected) - Counter(self.texts[document].get(old, ()))
        if added - needed - lost:
            self.fail("P8", f"records were written for chunks that had not changed: {added - needed - lost}")


def _names(edges: Collection[Membership]) -> list[str]:
    return sorted(f"{edge.member} in {edge.group}" for edge in edges)


def record_id(key: str) -> RecordId:
    """A record's id from how SQLite holds it."""
    return RecordId(f"{key[:8]}-{key[8:12]}-{key[12:16]}-{key[16:20]}-{key[20:]}")


def _keys(ids: Collection[RecordId]) -> list[str]:
    """Record ids as SQLite holds them."""
    return [i.replace("-", "") for i in ids]
