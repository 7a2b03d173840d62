"""Guards of access files, of moves of folders, and of the audit of access; each taken away alone."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from unittest.mock import patch

from sqlalchemy import Connection

from ingest.catalog import folders, policies
from ingest.catalog.database import AnyRow
from ingest.indexing import folder_look, folder_moves
from ingest.model.access import INHERIT, Access, AccessRules, Policy
from ingest.model.source import FolderSeen
from ingest.upkeep import audit
from tests.fault.modules import module_with


@contextmanager
def doubting_a_vanished_access_file() -> Iterator[None]:
    """A folder whose access file is not there states nothing, whatever was there before."""

    def effective(_row: AnyRow, seen: FolderSeen) -> Policy:
        return seen.rules.policy

    with patch.object(folder_look, "_effective", effective):
        yield


@contextmanager
def taking_an_unusable_access_file_for_nobody() -> Iterator[None]:
    """An access file that cannot be read states nothing."""

    def policy(rules: AccessRules) -> Policy:
        return INHERIT if rules.problem else rules.policy

    with patch.object(folder_look, "_policy", policy):
        yield


@contextmanager
def moving_folders_one_by_one() -> Iterator[None]:
    """Two moves in one source each see the tree without the other."""

    def nothing(_tx: Connection, _source_id: int) -> None:
        pass

    with patch.object(folder_moves, "folders", module_with(folders, lock_root=nothing)):
        yield


@contextmanager
def comparing_access_in_the_audit() -> Iterator[None]:
    """An audit compares ids alone."""

    def access_of(_tx: Connection, _document_ids: Collection[int]) -> dict[int, Access]:
        return _WhateverIsThere()

    with patch.object(audit, "policies", module_with(policies, access_of=access_of)):
        yield


class _WhateverIsThere(dict[int, Access]):
    def __missing__(self, _document_id: int) -> Access:
        return _Equal()


class _Equal(Access):
    def __eq__(self, _other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0
