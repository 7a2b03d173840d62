"""Commands go through the process that holds the data folder, or say why they cannot."""

from pathlib import Path

import pytest

from ingest.errors import AlreadyRunning
from ingest.settings import Settings
from worker.client import call
from worker.directory_lock import Address, DirectoryLock


def test_a_held_folder_without_an_address_says_what_to_do(tmp_path: Path) -> None:
    with DirectoryLock(tmp_path), pytest.raises(AlreadyRunning, match="try again"):
        call(Settings(data=tmp_path), "status", {}, wait_s=0.1)


def test_a_holder_that_does_not_answer_is_named(tmp_path: Path) -> None:
    with DirectoryLock(tmp_path) as lock:
        lock.publish(Address("127.0.0.1", 1, "token", 4711))  # nobody listens at port 1
        with pytest.raises(AlreadyRunning, match="process 4711"):
            call(Settings(data=tmp_path), "status", {}, wait_s=0.1)
