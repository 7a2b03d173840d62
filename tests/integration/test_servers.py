"""PostgreSQL, a real OpenSearch node, the Qdrant adapter and sentence-transformers with the real MiniLM."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from ingest.lockstep import Lockstep
from ingest.model.principal import parse_principal
from ingest.model.query import Answer, Question
from ingest.settings import DirectorySource, ModelSettings, Settings
from tests.integration.report import say
from tests.integration.sample import DOCUMENTS, GROUPS, questions
from tests.integration.servers import on_servers, opened
from worker.runner import Once, run_once

pytestmark = [pytest.mark.torch, pytest.mark.timeout(300)]


@dataclass(frozen=True, slots=True)
class Sample:
    """The sample corpus, copied so that a test may change it, in an installation on servers."""

    lockstep: Lockstep
    documents: Path

    def run(self) -> Once:
        once = run_once(self.lockstep)
        assert once.problems == []
        audited = self.lockstep.audit.run()
        assert audited.clean, audited
        return once

    def ask(self, text: str, reader: str, limit: int = 5) -> Answer:
        return self.lockstep.searcher.search(Question(text, frozenset({parse_principal(reader)}), limit=limit))

    def found(self, text: str, reader: str) -> set[str]:
        return {hit.document for hit in self.ask(text, reader).hits}


@pytest.fixture
def sample(
    tmp_path: Path, postgres_database: str, opensearch_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Sample]:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # the model comes from a package: whatever asks a hub is wrong
    documents: Path = shutil.copytree(DOCUMENTS, tmp_path / "documents")
    settings = Settings(
        data=tmp_path / "data",
        model=ModelSettings(kind="sentence-transformers"),
        sources={"sample": DirectorySource(path=documents)},
        directories={"local": GROUPS},
    )
    with opened(on_servers(settings, postgres_database, opensearch_url)) as lockstep:
        yield Sample(lockstep, documents)


def test_the_sample_corpus_is_indexed_searched_edited_moved_and_revoked_on_real_servers(sample: Sample) -> None:
    # one test, since indexing takes most of the time; its parts are named
    check_index_and_questions(sample)
    check_edit(sample)
    check_move(sample)
    check_revoke(sample)
    check_delete(sample)


def check_index_and_questions(sample: Sample) -> None:
    once = sample.run()
    assert (once.drained.documents, once.drained.embedded, once.drained.added) == (46, 306, 306)
    answered = 0
    for asked in questions():
        answer = sample.ask(asked.text, asked.reader, limit=100)
        assert not any(forbidden.among(answer.hits) for forbidden in asked.must_not), asked.text
        answered += asked.answered_by(answer)
    say(f"{answered} of {len(questions())} questions answered within the first five")
    assert answered >= 0.95 * len(questions())


def check_edit(sample: Sample) -> None:
    file = sample.documents / "payments" / "error-reference.md"
    text = file.read_text()
    old = "had a session with the payment gateway and the session broke"
    assert old in text
    file.write_text(text.replace(old, "lost its zeppelin to the payment gateway"))
    once = sample.run()
    assert (once.drained.embedded, once.drained.added, once.drained.closed) == (1, 1, 1)
    hits = sample.ask("zeppelin PAY-042", "user:visitor", limit=100).hits
    assert "zeppelin" in hits[0].text
    assert not any(old in hit.text for hit in hits)


def check_move(sample: Sample) -> None:
    # the page has no metadata of its own: within a category a move changes one row, and into another one it writes
    # new records; neither embeds anything
    asked = "How is the screen of a card terminal cleaned?"
    payments, shop = sample.documents / "payments", sample.documents / "shop"
    (payments / "terminal-care.txt").rename(payments / "terminals.txt")
    once = sample.run()
    assert (once.drained.embedded, once.drained.added) == (0, 0)
    assert "payments/terminals.txt" in sample.found(asked, "user:visitor")
    (payments / "terminals.txt").rename(shop / "terminals.txt")
    once = sample.run()
    assert once.drained.embedded == 0
    assert once.drained.added == once.drained.closed > 0
    found = sample.found(asked, "user:visitor")
    assert "shop/terminals.txt" in found
    assert not found & {"payments/terminals.txt", "payments/terminal-care.txt"}


def check_revoke(sample: Sample) -> None:
    asked = "How do I reconnect the payment gateway after PAY-042?"
    runbook = "payments/runbooks/reconnect-gateway.md"
    assert runbook in sample.found(asked, "user:ops-reader")
    access = sample.documents / "payments" / "runbooks" / ".access.yaml"
    rules = yaml.safe_load(access.read_text())
    access.write_text(yaml.safe_dump(rules | {"deny": ["user:ops-reader"]}))
    once = sample.run()
    assert (once.drained.embedded, once.drained.added) == (0, 0)
    assert runbook not in sample.found(asked, "user:ops-reader")
    assert runbook in sample.found(asked, "user:oncall-reader")


def check_delete(sample: Sample) -> None:
    (sample.documents / "shop" / "price-match.md").unlink()
    sample.run()
    asked = "If another retailer asks less for the same article"
    assert "shop/price-match.md" not in sample.found(asked, "user:visitor")
