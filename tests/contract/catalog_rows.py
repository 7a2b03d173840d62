"""Short ways to put rows into a catalog, and to read them back."""

from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Double, Table, insert, select, update

from ingest.catalog import decision, generations, indexing, policies, principals, sources
from ingest.catalog.database import AnyRow, Connection, Database, insert_new
from ingest.catalog.decision import Decision
from ingest.catalog.indexing import BatchSizes, Lease
from ingest.catalog.tables import access_clock as clock_table
from ingest.catalog.tables import documents, folders, membership_tombstones, memberships, metadata, records
from ingest.catalog.tables import indexing as indexing_table
from ingest.catalog.tables import sources as sources_table
from ingest.model.access import INHERIT, UNREADABLE, Policy, PolicyKind
from ingest.model.principal import Principal
from ingest.model.record import RecordId

FINGERPRINT = "model-a"
SIZES = BatchSizes()
LEASE_S = 60.0

ANN = Principal("local:user:ann")
BOB = Principal("local:user:bob")
STAFF = Principal("local:group:staff")
LEADS = Principal("local:group:leads")


def stated(*allow: Principal, deny: Iterable[Principal] = ()) -> Policy:
    """A policy that names its readers."""
    return Policy(PolicyKind.STATED, frozenset(allow), frozenset(deny))


def denies(*names: Principal, kind: PolicyKind = PolicyKind.INHERIT) -> Policy:
    """A policy of some kind that only denies."""
    return Policy(kind, frozenset(), frozenset(names))


class Catalog:
    """A catalog with one live source, its root folder and one active generation at epoch 1."""

    def __init__(self, database: Database) -> None:
        self.database = database
        with database.write() as tx:
            self.source = sources.ensure(tx, "files", "files", max_age_s=None)
            tx.execute(update(sources_table).values(state="live"))
            self.generation = self._generation(tx, "active")
        self.root = self.folder(None, "")

    def write(self) -> AbstractContextManager[Connection]:
        """A writing transaction."""
        return self.database.write()

    def read(self) -> AbstractContextManager[Connection]:
        """A reading transaction."""
        return self.database.read()

    def new_generation(self, state: str, fingerprint: str = FINGERPRINT) -> int:
        """One more generation, at epoch 1."""
        with self.write() as tx:
            return self._generation(tx, state, fingerprint)

    @staticmethod
    def _generation(tx: Connection, state: str, fingerprint: str = FINGERPRINT) -> int:
        settings = {"chunker": "structure-1"}
        made = generations.create(tx, state=state, fingerprint=fingerprint, dimension=2, settings=settings)
        generations.set_epoch(tx, made.id, 1)
        return made.id

    def folder(
        self, parent: int | None, name: str, policy: Policy = INHERIT, *, source: int | None = None, **values: Any
    ) -> int:
        """A folder with its policy."""
        place = {"source_id": source or self.source, "parent_id": parent, "name": name, "policy": policy.kind}
        with self.write() as tx:
            made = tx.execute(insert(folders).values(place | values).returning(folders.c.id)).scalar_one()
            policies.write_entries(tx, "f", made, policy)
        return int(made)

    def chain(self, length: int) -> int:
        """The deepest of `length` new folders below the root, each in the one before."""
        at = self.root
        for step in range(length):
            at = self.folder(at, f"level-{step}")
        return at

    def document(self, name: str, policy: Policy = INHERIT, *, folder: int | None = None, **values: Any) -> int:
        """A live document with content version 1 that no generation has indexed yet."""
        place = {"source_id": self.source, "folder_id": folder or self.root, "name": name, "policy": policy.kind}
        with self.write() as tx:
            row = {"content_version": 1} | place | values
            made = tx.execute(insert(documents).values(row).returning(documents.c.id)).scalar_one()
            policies.write_entries(tx, "d", made, policy)
            indexing.ensure(tx, [self.generation], made)
        return int(made)

    def wanted(self, count: int, *, version: int = 1) -> list[int]:
        """Documents that are due in the generation, longest-due first."""
        made = [self.document(f"wanted-{n}") for n in range(count)]
        for place, document in enumerate(made):
            self.set_indexing(document, wanted_version=version, ready_at=float(place))
        return made

    def record(self, document: int, *, from_epoch: int | None = 1, **values: Any) -> RecordId:
        """A record, open from epoch 1 on."""
        made = RecordId(str(uuid4()))
        row = {
            "id": made,
            "generation_id": self.generation,
            "document_id": document,
            "chunk": "c",
            "input_hash": "h",
            "order_key": "a",
            "from_epoch": from_epoch,
            "since_version": 1,
            "heading": ["Top", "Below"],
            "body": f"text of {document}",
            "codes": [],
            "metadata": {},
        }
        with self.write() as tx:
            tx.execute(insert(records).values(row | values))
        return made

    def readable(self, name: str, policy: Policy = INHERIT, *, folder: int | None = None, **values: Any) -> RecordId:
        """A document with one open record; returns the record."""
        return self.record(self.document(name, policy, folder=folder, **values))

    def member(self, member: Principal, group: Principal, *, granted_at: int = 0) -> None:
        """A membership edge."""
        with self.write() as tx:
            known = principals.ids(tx, [member, group])
            edge = {"member_id": known[member], "group_id": known[group], "granted_at": granted_at}
            tx.execute(insert_new(tx, memberships).values(edge))

    def former_member(self, member: Principal, group: Principal, *, removed_at: int) -> None:
        """A removed membership edge."""
        with self.write() as tx:
            known = principals.ids(tx, [member, group])
            edge = {"member_id": known[member], "group_id": known[group], "removed_at": removed_at}
            tx.execute(insert(membership_tombstones).values(edge))

    def decide(
        self,
        caller: Collection[Principal],
        candidates: Sequence[RecordId],
        *,
        epoch: int = 1,
        closure_limit: int = 100,
        with_text: bool = False,
    ) -> Decision:
        """The deciding statement."""
        with self.read() as tx:
            return decision.decide(
                tx,
                generation_id=self.generation,
                epoch=epoch,
                caller=caller,
                candidates=candidates,
                closure_limit=closure_limit,
                with_text=with_text,
            )

    def seen(self, caller: Principal, *candidates: RecordId, epoch: int = 1) -> list[RecordId]:
        """Those of the candidates that a caller may be given, in their order."""
        allowed = {verdict.id for verdict in self.decide([caller], candidates, epoch=epoch).verdicts}
        return [candidate for candidate in candidates if candidate in allowed]

    def claim(self, *, sizes: BatchSizes = SIZES, attempts_alone: int = 3) -> list[Lease]:
        """Lease due documents."""
        with self.write() as tx:
            return indexing.claim(tx, self.generation, sizes=sizes, lease_s=LEASE_S, attempts_alone=attempts_alone)

    def indexing(self, document: int, generation: int | None = None) -> AnyRow:
        """The indexing row of a document."""
        with self.read() as tx:
            row = indexing.of_document(tx, generation or self.generation, document)
        assert row is not None
        return row

    def set_indexing(self, document: int, **values: Any) -> None:
        """Change the indexing rows of a document."""
        self.set(indexing_table, indexing_table.c.document_id == document, **values)

    def set_clock(self, value: int) -> None:
        """Let the access clock stand at a value."""
        with self.write() as tx:
            tx.execute(update(clock_table).values(value=value))

    def set(self, table: Table, where: Any, **values: Any) -> None:
        """Change rows."""
        with self.write() as tx:
            tx.execute(update(table).where(where).values(**values))

    def row(self, table: Table, **where: Any) -> AnyRow | None:
        """The row with these values, if there is one."""
        with self.read() as tx:
            return tx.execute(select(table).filter_by(**where)).one_or_none()

    def rows(self, table: Table, **where: Any) -> list[AnyRow]:
        """Every row with these values."""
        with self.read() as tx:
            return list(tx.execute(select(table).filter_by(**where)))

    def pass_time(self, seconds: float) -> None:
        """As if `seconds` went by: every moment in every table is that much longer ago."""
        with self.write() as tx:
            for table in metadata.sorted_tables:
                moments = [c for c in table.c if isinstance(c.type, Double) and not c.name.endswith("_s")]
                if moments:
                    tx.execute(update(table).values({c: c - seconds for c in moments}))


def numbered(n: int) -> RecordId:
    """A record id that sorts by its number."""
    return RecordId(str(UUID(int=n)))


__all__ = ["ANN", "BOB", "LEADS", "STAFF", "UNREADABLE", "Catalog", "denies", "numbered", "stated"]
