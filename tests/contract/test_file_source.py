"""A directory tree keeps the contract."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ingest import failpoints
from ingest.adapters.filesystem.names import ACCESS_FILE
from ingest.adapters.filesystem.source import FileSource
from ingest.model.principal import Principal
from tests.contract.content_source import ContentSourceContract


class DiskTree:
    def __init__(self, root: Path, until_the_end: ExitStack, patch: pytest.MonkeyPatch) -> None:
        root.mkdir()
        self.source = FileSource(root)
        self.root = root
        self._until_the_end = until_the_end
        self._patch = patch

    def write(self, key: str, text: str) -> None:
        path = self.root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def make_folder(self, key: str) -> None:
        (self.root / key).mkdir(parents=True, exist_ok=True)

    def remove(self, key: str) -> None:
        path = self.root / key
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()

    def move(self, key: str, to: str) -> None:
        (self.root / key).replace(self.root / to)

    def allow(self, folder: str, *principals: Principal) -> None:
        self.write(f"{folder}/{ACCESS_FILE}".lstrip("/"), f"allow: [{', '.join(principals)}]\n")

    def break_access(self, folder: str) -> None:
        self.write(f"{folder}/{ACCESS_FILE}", "allow: [")

    def remove_access(self, folder: str) -> None:
        (self.root / folder / ACCESS_FILE).unlink()

    def hide(self, folder: str) -> None:
        hidden, listing = (self.root / folder).stat().st_ino, os.scandir

        def refuse(at: int) -> Iterator[os.DirEntry[str]]:
            if os.fstat(at).st_ino == hidden:
                raise PermissionError(13, "Permission denied")
            return listing(at)

        self._patch.setattr(os, "scandir", refuse)

    def lose_root(self) -> None:
        self.root.rename(self.root.with_name("elsewhere"))

    def return_root(self) -> None:
        self.root.with_name("elsewhere").rename(self.root)

    def while_reading(self, action: Callable[[], None]) -> None:
        waiting = [action]
        self._until_the_end.enter_context(
            failpoints.at("whole_file.after_read", lambda: waiting.pop()() if waiting else None)
        )


class TestFile(ContentSourceContract):
    @pytest.fixture
    def tree(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DiskTree]:
        with ExitStack() as until_the_end:
            yield DiskTree(tmp_path / "root", until_the_end, monkeypatch)
