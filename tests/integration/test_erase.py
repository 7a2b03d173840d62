"""Erase: at once nothing returns the document, its rows are gone, and its words leave the files (issue 3, item 9)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from ingest import failpoints
from ingest.catalog.tables import contents, embeddings, inbox, records
from ingest.errors import Refused, StoreUnavailable
from tests.integration.library import Version
from tests.integration.opened import Opened, opened
from tests.integration.watched import version

KEY = "open/topic000.md"
WORD = "xanthopterin"


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Opened]:
    with opened(tmp_path) as installation:
        yield installation


def add_secret(installation: Opened, key: str = "open/secret.md") -> str:
    file = installation.library.root / key
    file.write_text(f"# Ledger of {WORD}\n\nThe {WORD} passphrase of QZV-771.\n\n## Krzwtl\n\nMore of {WORD}s.\n")
    installation.index()
    return key


def files_with(installation: Opened, words: str) -> list[str]:
    """Files in the data folder that hold the words, whatever the letters' size."""
    files = [file for file in sorted(installation.data.rglob("*")) if file.is_file()]
    return [file.name for file in files if words.lower().encode() in file.read_bytes().lower()]


def rows_of(installation: Opened, document_id: int) -> dict[str, int]:
    with installation.lockstep.database.read() as tx:
        return {
            table.name: tx.execute(select(func.count()).where(table.c.document_id == document_id)).scalar_one()
            for table in (contents, records, inbox)
        }


def document_of(installation: Opened, words: str) -> int:
    with installation.lockstep.database.read() as tx:
        return int(
            tx.execute(select(records.c.document_id).where(records.c.body.contains(words)).limit(1)).scalar_one()
        )


def cached(installation: Opened) -> int:
    with installation.lockstep.database.read() as tx:
        return tx.execute(select(func.count()).select_from(embeddings)).scalar_one()


def test_its_words_leave_every_file_and_its_rows_every_table(installation: Opened) -> None:
    key = add_secret(installation)
    document_id = document_of(installation, WORD)
    before = cached(installation)
    assert installation.found(f"{WORD} passphrase")[0] == key
    assert files_with(installation, WORD)
    said = installation.do("erase", document=key)
    assert said["stores"] == {"catalog": "done", "lexical": "done", "vector": "done"}
    assert said["records"] == 2
    assert key not in installation.found(f"{WORD} passphrase")
    assert rows_of(installation, document_id) == {"contents": 0, "records": 0, "inbox": 0}
    assert cached(installation) == before - 2
    for words in (WORD, "krzwtl", "qzv-771", "passphrase"):
        assert files_with(installation, words) == []
    assert installation.do("audit")["clean"]


def test_what_was_deleted_before_and_still_leaves_traces_is_erased_too(installation: Opened) -> None:
    key = add_secret(installation)
    (installation.library.root / key).unlink()
    installation.index()
    assert files_with(installation, WORD)
    said = installation.do("erase", document=key)
    assert (said["records"], said["still_at_source"]) == (2, False)
    assert files_with(installation, WORD) == []


def test_older_versions_are_erased_with_it(installation: Opened) -> None:
    key = add_secret(installation)
    (installation.library.root / key).write_text("# Harmless\n\nNothing to hide.\n")
    installation.index()
    assert files_with(installation, WORD)
    assert installation.do("erase", document=key)["records"] == 3
    assert files_with(installation, WORD) == []


def test_a_file_that_is_still_there_is_said_to_come_back(installation: Opened) -> None:
    assert installation.do("erase", document=KEY)["still_at_source"] is True
    assert KEY not in installation.found("topic000")
    installation.index()
    assert installation.found("topic000")[0] == KEY


def test_a_vector_that_another_document_uses_is_kept(installation: Opened) -> None:
    library = installation.library
    twin: Version = version(0, revision=0)
    library.write("open/twin.md", twin)
    installation.index()
    before = cached(installation)
    installation.do("erase", document=KEY)
    assert cached(installation) == before
    (library.root / KEY).unlink()
    assert installation.found("topic000")[0] == "open/twin.md"


def test_backups_in_the_folder_for_them_are_named(installation: Opened) -> None:
    (installation.base / "backups" / "2026-01-01").mkdir(parents=True)
    assert installation.do("erase", document=KEY)["backups"] == [str(installation.base / "backups" / "2026-01-01")]


def test_erasing_again_looks_at_the_files_again_and_an_unknown_document_is_refused(installation: Opened) -> None:
    installation.do("erase", document=KEY)
    again = installation.do("erase", document=KEY)
    assert (again["records"], again["stores"]["lexical"]) == (0, "done")
    with pytest.raises(Refused, match="never/there"):
        installation.do("erase", document="never/there.md")


def test_a_store_that_is_down_is_pending_and_erasing_again_ends_it(
    installation: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = add_secret(installation)

    def down(*_: object) -> None:
        raise StoreUnavailable("the index of words", "this test")

    with monkeypatch.context() as patched:
        patched.setattr(type(installation.lockstep.lexical), "delete", down)
        said = installation.do("erase", document=key)
    assert said["stores"]["lexical"].startswith("pending: the index of words does not answer")
    assert said["stores"]["catalog"] == "done"
    assert key not in installation.found(f"{WORD} passphrase")
    assert all(name.startswith("lexical") for name in files_with(installation, WORD))
    assert installation.do("erase", document=key)["stores"]["lexical"] == "done"
    assert files_with(installation, WORD) == []
    assert installation.do("audit")["clean"]


@pytest.mark.parametrize("point", ["claim.after_commit", "plan.done", "stage.after_note", "stage.after_write"])
def test_a_document_that_is_being_indexed_is_erased_and_not_published(installation: Opened, point: str) -> None:
    key = "open/secret.md"
    (installation.library.root / key).write_text(f"# Ledger\n\nThe {WORD} passphrase.\n")
    erased: list[dict[str, object]] = []

    def erase() -> None:
        if not erased:
            erased.append({})
            erased[0] = installation.do("erase", document=key)

    with failpoints.at(point, erase):
        for source in installation.lockstep.sources:
            installation.lockstep.scan(source).run()
        installation.lockstep.drain()
    assert erased
    assert key not in installation.found(f"{WORD} passphrase")
    with installation.lockstep.database.read() as tx:
        assert tx.execute(select(func.count()).where(records.c.body.contains(WORD))).scalar_one() == 0
    (installation.library.root / key).unlink()
    installation.index()
    installation.do("vacuum")  # the second delete catches what a late write brought back
    installation.do("erase", document=key)
    assert installation.do("audit", repair=True)["clean"]
    assert files_with(installation, WORD) == []
