"""Doctor and erase on PostgreSQL, a real OpenSearch node and the Qdrant adapter."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from ingest.catalog.tables import contents, records
from tests.integration.opened import Opened
from tests.integration.servers import on_servers, opened
from tests.integration.watched import model_of, new_library, settings_of

KEY = "open/topic000.md"


@pytest.fixture
def installation(tmp_path: Path, postgres_database: str, opensearch_url: str) -> Iterator[Opened]:
    library = new_library(tmp_path, 8)
    settings = on_servers(settings_of(tmp_path), postgres_database, opensearch_url)
    with opened(settings, model_of(tmp_path)) as lockstep:
        installation = Opened(tmp_path, library, lockstep)
        installation.index()
        yield installation


def test_doctor_looks_at_what_decides_durability_on_every_server(installation: Opened) -> None:
    found = installation.do("doctor")["findings"]
    said = {f"{one['part']}: {one['says']}".partition(" = ")[0]: one["good"] for one in found}
    durability = {
        "catalog: fsync",
        "catalog: full_page_writes",
        "catalog: synchronous_commit",
        "lexical: index.translog.durability",
        "vector: write_consistency_factor",
    }
    assert durability <= said.keys()
    assert said["lexical: index.translog.durability"]
    assert said["vector: write_consistency_factor"]
    assert all(one["do"] for one in found if not one["good"])


def test_an_erased_document_is_gone_and_each_store_says_whether_its_files_are_rid_of_it(installation: Opened) -> None:
    said = installation.do("erase", document=KEY)
    assert said["records"] == 3
    assert said["stores"].keys() == {"catalog", "lexical", "vector"}
    assert all(state == "done" or state.startswith("pending: ") for state in said["stores"].values())
    assert said["stores"]["catalog"].startswith("pending: the database overwrites")
    assert KEY not in installation.found("topic000")
    with installation.lockstep.database.read() as tx:
        for table in (contents, records):
            left = select(func.count()).where(table.c.document_id.not_in(select(contents.c.document_id)))
            assert tx.execute(left).scalar_one() == 0
    assert installation.do("audit")["clean"]


def test_status_and_access_answer_on_postgresql(installation: Opened) -> None:
    said = installation.do("status")
    assert (said["documents"], said["behind"], said["unreadable"]) == (8, 0, 0)
    assert installation.do("access", document="staff/topic001.md", callers=["user:ann"])["caller"]["may_read"]
