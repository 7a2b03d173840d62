"""One opener for each data folder, whichever process it is in."""

import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ingest.errors import AlreadyRunning
from worker.directory_lock import Address, DirectoryLock, address_of

ADDRESS = Address("127.0.0.1", 4711, "secret", 42)
HOLD = """
import sys
from pathlib import Path
from worker.directory_lock import DirectoryLock
with DirectoryLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_second_opener_in_the_same_process_is_refused(tmp_path: Path) -> None:
    with DirectoryLock(tmp_path), pytest.raises(AlreadyRunning, match=str(tmp_path)), DirectoryLock(tmp_path):
        pass


def test_an_opener_in_another_process_is_refused_until_the_first_one_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(AlreadyRunning), DirectoryLock(tmp_path):
            pass
        other.kill()
        other.wait(10)
    with DirectoryLock(tmp_path):
        pass


def test_a_folder_that_was_let_go_can_be_held_again(tmp_path: Path) -> None:
    for _ in range(2):
        with DirectoryLock(tmp_path):
            pass


def test_a_short_command_is_waited_for(tmp_path: Path) -> None:
    held, wanted = threading.Event(), threading.Event()

    def hold() -> None:
        with DirectoryLock(tmp_path):
            held.set()
            wanted.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(10)
    threading.Timer(0.1, wanted.set).start()
    with DirectoryLock(tmp_path, wait_s=10):
        assert wanted.is_set()
    holder.join()


def test_a_run_that_answers_is_not_waited_for(tmp_path: Path) -> None:
    with DirectoryLock(tmp_path) as lock:
        lock.publish(ADDRESS)
        began = time.monotonic()
        with pytest.raises(AlreadyRunning, match="process 42"), DirectoryLock(tmp_path, wait_s=60):
            pass
        assert time.monotonic() - began < 30


def test_the_address_is_for_this_user_alone_and_gone_with_the_lock(tmp_path: Path) -> None:
    with DirectoryLock(tmp_path) as lock:
        assert address_of(tmp_path) is None
        lock.publish(ADDRESS)
        assert address_of(tmp_path) == ADDRESS
        assert mode_of(tmp_path / "run.json") == 0o600
    assert address_of(tmp_path) is None


def test_the_folder_is_made_for_this_user_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        with DirectoryLock(tmp_path / "data"):
            assert mode_of(tmp_path / "data") == 0o700
            assert mode_of(tmp_path / "data" / "lock") == 0o600
    finally:
        os.umask(old)


def test_what_a_killed_process_left_behind_names_nobody(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"host": "127.0.0.1", "port": 1, "token": "old", "pid": 1}')
    with DirectoryLock(tmp_path):
        assert address_of(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"host": "127.0.0.1"}'])
def test_an_address_that_makes_no_sense_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)
    assert address_of(tmp_path) is None
