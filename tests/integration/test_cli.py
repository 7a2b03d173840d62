"""The `lockstep` command itself, in processes of its own, on the embedded default with the default model."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.watched import wait_until

ROOT = Path(__file__).parents[2]
OK, FAILED, USAGE, REFUSED, UNAVAILABLE, FOUND = range(6)


def lockstep(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "worker.cli.main", *arguments],
        cwd=folder,
        env=_environment(environment),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def answer(folder: Path, *arguments: str) -> Any:
    """What a command says with --json; it must say nothing else on standard output, and nothing on standard error."""
    done = lockstep(folder, *arguments, "--json")
    assert (done.returncode, done.stderr) == (OK, ""), done.stderr
    return json.loads(done.stdout)


def refusal(done: subprocess.CompletedProcess[str], code: int) -> str:
    """The one line on standard error."""
    assert (done.returncode, done.stdout) == (code, "")
    (line,) = done.stderr.splitlines()
    return line


def _environment(more: dict[str, str]) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("LOCKSTEP_")}
    return kept | {"PYTHONPATH": str(ROOT), "COLUMNS": "200"} | more


@contextmanager
def running(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """`lockstep run` until the block ends; it must then end by itself with 0."""
    command = [sys.executable, "-m", "worker.cli.main", "run"]
    with (folder / "run.log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, env=_environment({}), stdout=log, stderr=log, text=True)
        try:
            wait_until((folder / ".lockstep" / "run.json").exists, 60, "run answers")
            yield process
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0, (folder / "run.log").read_text()
        finally:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with settings and a few indexed documents. Tests leave it as it was."""
    folder = tmp_path_factory.mktemp("home")
    docs = folder / "docs"
    (docs / "staff").mkdir(parents=True)
    (docs / "guide.md").write_text("# Gateway\n\nAfter PAY-042 reconnect the gateway from the console.\n")
    (docs / "staff" / "rota.md").write_text("# Rota\n\nNight shifts are swapped with the foreman.\n")
    (docs / "staff" / ".access.yaml").write_text("allow: [group:staff]\n")
    (folder / "groups.yaml").write_text("groups: {staff: [user:ann]}\n")
    before = sorted(docs.rglob("*"))
    answer(folder, "init", "docs")
    assert sorted(docs.rglob("*")) == before
    said = answer(folder, "run", "--once")
    assert (said["documents"], said["added"], said["embedded"], said["problems"]) == (2, 2, 2, [])
    return folder


# init


def test_init_writes_settings_that_say_who_may_read_and_who_asks(home: Path) -> None:
    said = yaml.safe_load((home / "lockstep.yaml").read_text())
    (source,) = said["sources"].values()
    assert source["allow"] == [said["user"]]
    assert said["user"].startswith("user:")
    assert said["directories"] == {"local": "groups.yaml"}
    assert (home / ".lockstep" / ".gitignore").read_text() == "*\n"
    assert (home / ".lockstep").stat().st_mode & 0o077 == 0


def test_init_refuses_to_overwrite(home: Path) -> None:
    before = (home / "lockstep.yaml").read_text()
    assert "lockstep.yaml" in refusal(lockstep(home, "init", "docs"), REFUSED)
    assert (home / "lockstep.yaml").read_text() == before


def test_init_writes_nothing_into_the_documents(tmp_path: Path) -> None:
    (tmp_path / "docs" / "below").mkdir(parents=True)
    assert "docs" in refusal(lockstep(tmp_path / "docs" / "below", "init", ".."), REFUSED)
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["below", "docs"]


# questions


def test_a_first_search_finds_something_without_naming_anybody(home: Path) -> None:
    said = answer(home, "search", "How do I reconnect after PAY-042?")
    assert said["hits"][0]["document"] == "guide.md"
    assert {"generation", "epoch", "truncated", "pending"} <= said.keys()


def test_as_names_who_asks(home: Path) -> None:
    def found(*callers: str) -> set[str]:
        asked = [word for caller in callers for word in ("--as", caller)]
        return {hit["document"] for hit in answer(home, "search", "night shifts of the foreman", *asked)["hits"]}

    assert found("user:ann") == {"staff/rota.md"}
    assert found("user:bob") == set()
    assert found("user:bob", "group:staff") == {"staff/rota.md"}


def test_commands_find_the_settings_from_a_folder_below(home: Path) -> None:
    below = home / "docs" / "staff"
    assert answer(below, "status")["documents"] == 2


def test_settings_can_be_named(home: Path, tmp_path: Path) -> None:
    file = str(home / "lockstep.yaml")
    assert json.loads(lockstep(tmp_path, "status", "--json", "--settings", file).stdout)["documents"] == 2
    assert json.loads(lockstep(tmp_path, "status", "--json", LOCKSTEP_SETTINGS=file).stdout)["documents"] == 2


def test_status_show_access_plan_doctor_and_audit_answer(home: Path) -> None:
    assert answer(home, "status")["running"] is False
    assert answer(home, "show", "guide.md")["chunks"][0]["codes"] == ["PAY-042"]
    assert answer(home, "access", "staff/rota.md", "--as", "user:ann")["caller"]["may_read"] is True
    assert answer(home, "plan") == {"plans": []}
    assert all(finding["good"] for finding in answer(home, "doctor")["findings"])
    assert answer(home, "audit")["clean"] is True
    assert answer(home, "source", "list")["sources"][0]["documents"] == 2


@pytest.mark.parametrize("command", [["status"], ["search", "gateway"], ["access", "guide.md"]])
def test_people_get_lines(home: Path, command: list[str]) -> None:
    done = lockstep(home, *command)
    assert (done.returncode, done.stderr) == (OK, "")
    assert len(done.stdout.splitlines()) >= 2


# what goes wrong


@pytest.mark.parametrize(
    ("arguments", "code", "names"),
    [
        (["show", "no/such.md"], REFUSED, "no/such.md"),
        (["access", "no/such.md"], REFUSED, "no/such.md"),
        (["erase", "no/such.md", "--yes"], REFUSED, "no/such.md"),
        (["search", "gateway", "--as", "ann"], REFUSED, "ann"),
        (["search", "gateway", "--where", "colour=red"], REFUSED, "colour"),
        (["search", " "], REFUSED, "empty"),
        (["approve", "elsewhere"], REFUSED, "elsewhere"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_a_code(home: Path, arguments: list[str], code: int, names: str) -> None:
    assert names in refusal(lockstep(home, *arguments), code)


@pytest.mark.parametrize("arguments", [["search"], ["serch", "x"], ["search", "x", "--limit", "many"], ["--nonsense"]])
def test_wrong_usage_says_so_and_ends_with_2(home: Path, arguments: list[str]) -> None:
    done = lockstep(home, *arguments)
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert "Traceback" not in done.stderr


def test_without_settings_the_way_out_is_named(tmp_path: Path) -> None:
    assert "lockstep init DOCS" in refusal(lockstep(tmp_path, "status"), REFUSED)


def test_settings_that_no_longer_fit_are_refused_with_the_way_out(home: Path) -> None:
    done = lockstep(home, "search", "gateway", LOCKSTEP_INDEXING__CODES="[0-9]+")
    assert "codes changed" in refusal(done, REFUSED)


def test_doctor_says_what_is_wrong_with_settings(tmp_path: Path) -> None:
    (tmp_path / "lockstep.yaml").write_text("serch: {}\n")
    done = lockstep(tmp_path, "doctor", "--json")
    assert done.returncode != OK
    assert "did you mean search?" in json.loads(done.stdout)["findings"][0]["says"]


def test_doctor_before_anything_was_indexed_names_the_next_step(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    answer(tmp_path, "init", "docs")
    done = lockstep(tmp_path, "doctor", "--json")
    assert "lockstep run --once" in done.stdout
    assert not (tmp_path / ".lockstep" / "catalog.db").exists()


def test_help_names_the_exit_codes_and_every_command() -> None:
    said = lockstep(ROOT, "--help").stdout
    assert "Exit codes" in said
    commands = "init run plan search show status retry approve vacuum audit access source erase doctor"
    assert [word for word in commands.split() if word not in said] == []


# beside a running process


def test_commands_go_through_a_running_process_and_a_second_one_is_refused(home: Path) -> None:
    with running(home) as process:
        assert answer(home, "status")["running"] is True
        assert answer(home, "search", "PAY-042")["hits"][0]["document"] == "guide.md"
        assert "no/such.md" in refusal(lockstep(home, "show", "no/such.md"), REFUSED)
        assert f"process {process.pid}" in refusal(lockstep(home, "run"), REFUSED)
        assert f"process {process.pid}" in refusal(lockstep(home, "run", "--once"), REFUSED)
    assert answer(home, "status")["running"] is False


def test_an_edit_while_it_runs_is_found_and_an_erased_document_leaves_the_files(tmp_path: Path, home: Path) -> None:
    shutil.copytree(home, tmp_path / "home", ignore=shutil.ignore_patterns("lockstep.yaml", ".lockstep"))
    folder = tmp_path / "home"
    answer(folder, "init", "docs")
    with running(folder):
        (folder / "docs" / "new.md").write_text("# Xylotheque\n\nA flumborg is kept in the cellar.\n")

        def found() -> bool:
            return "new.md" in [hit["document"] for hit in answer(folder, "search", "flumborg")["hits"]]

        wait_until(found, 30, "the new document is found")
        (folder / "docs" / "new.md").unlink()
        said = answer(folder, "erase", "new.md", "--yes")
        assert set(said["stores"].values()) == {"done"}
        assert not found()
    files = [file for file in (folder / ".lockstep").rglob("*") if file.is_file()]
    assert [file for file in files if b"flumborg" in file.read_bytes().lower()] == []
    assert answer(folder, "audit")["clean"] is True
