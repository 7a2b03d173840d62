"""A setting that needs a package of an extra says which one to install."""

import sys

import pytest

from ingest.bootstrap import open_database, open_lexical, open_vector
from ingest.catalog.generations import Generation
from ingest.errors import SettingsInvalid
from ingest.settings import OpenSearchLexical, QdrantVector, Settings

GENERATION = Generation(1, "abcd", "active", 0, 0, "fingerprint", 4, "chunker", {})


@pytest.fixture
def server_packages_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(sys.modules):
        if name.partition(".")[0] in {"psycopg", "opensearchpy", "qdrant_client"} or name.startswith(
            ("ingest.adapters.opensearch", "ingest.adapters.qdrant.")
        ):
            monkeypatch.delitem(sys.modules, name)
    for name in ("psycopg", "opensearchpy", "qdrant_client"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("server_packages_missing")
def test_a_server_without_its_client_is_refused_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCKSTEP_CATALOG", "postgresql+psycopg://nowhere/none")
    settings = Settings(
        lexical=OpenSearchLexical(kind="opensearch", hosts=("http://nowhere",)),
        vector=QdrantVector(kind="qdrant", url="http://nowhere"),
    )
    for opens in (
        lambda: open_database(settings),
        lambda: open_lexical(settings, GENERATION),
        lambda: open_vector(settings, GENERATION),
    ):
        with pytest.raises(SettingsInvalid, match=r"pip install 'lockstep\[server\]'"):
            opens()
