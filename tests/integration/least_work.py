"""The least-work table: what each kind of change costs, counted in the stores themselves (P8).

Records added and deleted are ids that a store lists after a change and not before, or the other way round; patches,
which leave no trace when they change nothing, are counted on their way into the store.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import yaml
from sqlalchemy import select

from ingest.adapters.memory.embedding_model import MemoryEmbeddingModel
from ingest.adapters.qdrant_edge.index import QdrantEdgeIndex
from ingest.adapters.sqlite_fts.index import SqliteFtsIndex
from ingest.bootstrap import bootstrap
from ingest.catalog.database import Database
from ingest.catalog.tables import records
from ingest.lockstep import Lockstep
from ingest.model.access import Access
from ingest.model.record import RecordId
from ingest.ports import Index
from ingest.settings import DirectorySource, Settings, UpkeepSettings
from worker.runner import run_once

DOCUMENTS = 3
"""In each folder."""
SECTIONS = 4
"""Chunks of a document: each section is one."""
FOLDER = DOCUMENTS * SECTIONS
"""Chunks of a folder."""


@dataclass(frozen=True, slots=True)
class Written:
    """Records of one store that a change touched."""

    added: int = 0
    patched: int = 0
    deleted: int = 0


@dataclass(frozen=True, slots=True)
class Work:
    """What a change cost: texts embedded, and records touched in the catalog and in each index."""

    embedded: int = 0
    catalog: Written = field(default=Written())
    """Rows added and closed; access fields are not kept there."""
    lexical: Written = field(default=Written())
    vector: Written = field(default=Written())


def work(*, embedded: int = 0, added: int = 0, patched: int = 0, deleted: int = 0) -> Work:
    """The same in both indexes, as it has to be."""
    index = Written(added, patched, deleted)
    return Work(embedded, Written(added, 0, deleted), index, index)


class Folders:
    """The documents on disk, and the changes made to them. Every change is made once, in the order of CHANGES."""

    def __init__(self, base: Path) -> None:
        self.root = base / "documents"
        self.groups = base / "groups.yaml"
        self._say_groups(["user:ann"])
        self._say_access("", {"allow": ["public"]})
        for folder in ("guides", "handbook", "internal", "shelf"):
            for number in range(DOCUMENTS):
                self._write(self._path(folder, number), [_section(folder, number, at) for at in range(SECTIONS)])
        self._say_access("internal", {"allow": ["group:staff"]})

    def nothing(self) -> None:
        """Leave everything as it is."""

    def touch(self) -> None:
        for path in self.root.rglob("*.md"):
            os.utime(path)

    def edit(self) -> None:
        self._edit("The valve is closed by hand", "The valve is closed by two people")

    def undo(self) -> None:
        self._edit("The valve is closed by two people", "The valve is closed by hand")

    def insert_on_top(self) -> None:
        path = self._path("guides", 0)
        self._write(path, ["## Before anything else\n\nRead this page twice.", *self._sections(path)])

    def reorder(self) -> None:
        path = self._path("guides", 1)
        first, *rest = self._sections(path)
        self._write(path, [*rest, first])

    def rename(self) -> None:
        self._path("guides", 2).rename(self.root / "guides" / "renamed.md")

    def move_under_other_access(self) -> None:
        (self.root / "guides" / "renamed.md").rename(self.root / "internal" / "renamed.md")

    def move_folder(self) -> None:
        (self.root / "handbook").rename(self.root / "shelf" / "handbook")

    def copy(self) -> None:
        shutil.copyfile(self._path("shelf", 0), self.root / "shelf" / "copy.md")

    def delete(self) -> None:
        (self.root / "shelf" / "copy.md").unlink()

    def open_folder(self) -> None:
        self._say_access("shelf/handbook", {"allow": ["group:staff", "user:bob"]})

    def open_document(self) -> None:
        rule = {"document0.md": {"allow": ["user:bob"]}}
        self._say_access("shelf/handbook", {"allow": ["group:staff", "user:bob"], "documents": rule})

    def join_group(self) -> None:
        self._say_groups(["user:ann", "user:bob"])

    def leave_group(self) -> None:
        self._say_groups(["user:bob"])

    def categorise_folder(self) -> None:
        rule = {"document0.md": {"allow": ["user:bob"]}}
        said = {"allow": ["group:staff", "user:bob"], "documents": rule, "metadata": {"category": "manual"}}
        self._say_access("shelf/handbook", said)

    def _path(self, folder: str, number: int) -> Path:
        return self.root / folder / f"document{number}.md"

    def _sections(self, path: Path) -> list[str]:
        return [f"## {section}" for section in path.read_text().rstrip("\n").split("\n\n## ")[1:]]

    def _write(self, path: Path, sections: list[str]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join([f"# {path.parent.name}", *sections]) + "\n")

    def _edit(self, old: str, new: str) -> None:
        path = self._path("guides", 0)
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))

    def _say_access(self, folder: str, said: Mapping[str, Any]) -> None:
        path = self.root / folder / ".access.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(dict(said)))

    def _say_groups(self, staff: list[str]) -> None:
        self.groups.write_text(yaml.safe_dump({"groups": {"staff": staff}}))


def _section(folder: str, number: int, at: int) -> str:
    said = "The valve is closed by hand" if (folder, number, at) == ("guides", 0, 1) else "The pump runs by night"
    return f"## Step {at} of {number}\n\n{said} in the {folder}, as step {at} of document {number} says."


CHANGES: Mapping[str, tuple[Callable[[Folders], None], Work]] = {
    "nothing changed": (Folders.nothing, work()),
    "files touched": (Folders.touch, work()),
    "one paragraph edited": (Folders.edit, work(embedded=1, added=1, deleted=1)),
    "the edit undone": (Folders.undo, work(added=1, deleted=1)),
    "section inserted on top": (Folders.insert_on_top, work(embedded=1, added=1)),
    "sections reordered": (Folders.reorder, work()),
    "document renamed": (Folders.rename, work()),
    "document moved under other access": (Folders.move_under_other_access, work(patched=SECTIONS)),
    "folder of 3 documents moved": (Folders.move_folder, work()),
    "document copied": (Folders.copy, work(added=SECTIONS)),
    "document deleted": (Folders.delete, work(deleted=SECTIONS)),
    "access of a folder of 3 changed": (Folders.open_folder, work(patched=FOLDER)),
    "access of one document changed": (Folders.open_document, work(patched=SECTIONS)),
    "a person joins a group": (Folders.join_group, work()),
    "a person leaves a group": (Folders.leave_group, work()),
    "metadata of a folder of 3 changed": (Folders.categorise_folder, work(added=FOLDER, deleted=FOLDER)),
}
"""Every change with what it must cost, vacuum included. Documents have 4 chunks."""


class _Lexical(SqliteFtsIndex):
    """Counts patches on their way in."""

    patched = 0

    def patch_access(self, changes: Mapping[RecordId, Access]) -> Any:
        self.patched += len(changes)
        return super().patch_access(changes)


class _Vector(QdrantEdgeIndex):
    """The same."""

    patched = 0

    def patch_access(self, changes: Mapping[RecordId, Access]) -> Any:
        self.patched += len(changes)
        return super().patch_access(changes)


class _Counting(Index, Protocol):
    patched: int


@dataclass(frozen=True, slots=True)
class _State:
    """What was in the stores, and how much was counted, at one time."""

    embedded: int
    rows: frozenset[RecordId]
    closed: frozenset[RecordId]
    lexical: tuple[frozenset[RecordId], int]
    vector: tuple[frozenset[RecordId], int]


class Ledger:
    """An embedded installation in a folder, with the stand-in model, that says what each change cost."""

    def __init__(self, lockstep: Lockstep, model: MemoryEmbeddingModel, lexical: _Lexical, vector: _Vector) -> None:
        self._lockstep = lockstep
        self._model = model
        self._lexical = lexical
        self._vector = vector

    def settle(self) -> None:
        """One pass, and the vacuum of what it closed."""
        run_once(self._lockstep)
        self._lockstep.vacuum.run()

    def cost(self, change: Callable[[], None]) -> Work:
        """Make a change, let it arrive in both stores, and count."""
        before = self._state()
        change()
        self.settle()
        after = self._state()
        assert self._lockstep.audit.run().clean
        return Work(
            embedded=after.embedded - before.embedded,
            catalog=Written(len(after.rows - before.rows), 0, len(after.closed - before.closed)),
            lexical=_written(before.lexical, after.lexical),
            vector=_written(before.vector, after.vector),
        )

    def _state(self) -> _State:
        rows, closed = _rows(self._lockstep.database)
        return _State(self._model.inputs, rows, closed, _counted(self._lexical), _counted(self._vector))


@contextmanager
def ledger(base: Path) -> Iterator[tuple[Ledger, Folders]]:
    """Opened in an empty folder, its documents indexed."""
    folders = Folders(base)
    settings = Settings(
        data=base / "data",
        sources={"docs": DirectorySource(path=folders.root)},
        directories={"local": folders.groups},
        upkeep=UpkeepSettings(grace_s=0.0),
    )
    model = MemoryEmbeddingModel()
    lexical = _Lexical(base / "data" / "lexical.db")
    vector = _Vector(base / "data" / "vectors", dimension=model.dimension)
    with bootstrap(settings, model=model, lexical=lexical, vector=vector) as lockstep:
        opened = Ledger(lockstep, model, lexical, vector)
        opened.settle()
        yield opened, folders


def measure(base: Path, done: Callable[[str], None] = lambda _: None) -> dict[str, Work]:
    """What every change of CHANGES costs."""
    costs: dict[str, Work] = {}
    with ledger(base) as (opened, folders):
        for name, (change, _) in CHANGES.items():
            costs[name] = opened.cost(partial(change, folders))
            done(name)
    return costs


def _written(before: tuple[frozenset[RecordId], int], after: tuple[frozenset[RecordId], int]) -> Written:
    return Written(len(after[0] - before[0]), after[1] - before[1], len(before[0] - after[0]))


def _counted(store: _Counting) -> tuple[frozenset[RecordId], int]:
    ids: list[RecordId] = []
    while page := store.ids(after=ids[-1] if ids else None, limit=1_000):
        ids += [stored.id for stored in page]
    return frozenset(ids), store.patched


def _rows(database: Database) -> tuple[frozenset[RecordId], frozenset[RecordId]]:
    """All records, and the closed ones."""
    with database.read() as tx:
        rows = tx.execute(select(records.c.id, records.c.to_epoch)).all()
    return frozenset(row.id for row in rows), frozenset(row.id for row in rows if row.to_epoch is not None)
