"""The question file on the embedded profile with the default model: what must appear, and what never may."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.bootstrap import bootstrap
from ingest.lockstep import Lockstep
from ingest.model.principal import parse_principal
from ingest.model.query import Answer, Question
from ingest.retrieval.fusion import CODES
from ingest.retrieval.legs import LEXICAL, VECTOR, Legs
from ingest.retrieval.searcher import Searcher
from ingest.settings import DirectorySource, Settings
from tests.integration.report import say
from tests.integration.sample import DOCUMENTS, GROUPS, Asked, may_read, questions, readers
from worker.runner import run_once

EVERYTHING = 1_000
"""More than the corpus has chunks."""


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lockstep]:
    folder = tmp_path_factory.mktemp("sample")
    documents: Path = shutil.copytree(DOCUMENTS, folder / "documents")
    settings = Settings(
        data=folder / "data", sources={"sample": DirectorySource(path=documents)}, directories={"local": GROUPS}
    )
    with bootstrap(settings) as lockstep:
        once = run_once(lockstep)
        assert (once.problems, once.scanned) == ([], {"sample": 46})
        yield lockstep


def ask(searcher: Searcher, asked: Asked, reader: str = "", limit: int = 5) -> Answer:
    caller = frozenset({parse_principal(reader)}) if reader else asked.caller
    return searcher.search(Question(asked.text, caller, limit=limit))


def missed_by(sample: Lockstep, *names: str) -> set[str]:
    """The questions of which some text that must appear does not, when only these legs search."""
    legs = Legs(sample.lexical, sample.vector, only=frozenset(names))
    try:
        searcher = Searcher(sample.database, sample.model, lambda _: legs)
        return {asked.text for asked in questions() if not asked.answered_by(ask(searcher, asked))}
    finally:
        legs.close()


@pytest.mark.parametrize("asked", questions(), ids=lambda asked: f"{asked.reader[5:]}: {asked.text}")
def test_what_must_appear_is_among_the_first_five_and_what_must_not_never_is(sample: Lockstep, asked: Asked) -> None:
    first = ask(sample.searcher, asked)
    assert asked.answered_by(first), [(hit.document, hit.heading_path) for hit in first.hits]
    everything = ask(sample.searcher, asked, limit=EVERYTHING)
    assert not any(forbidden.among(everything.hits) for forbidden in asked.must_not)
    assert everything.pending == 0


def test_a_reader_gets_no_hit_of_a_document_that_the_access_files_keep_from_him(sample: Lockstep) -> None:
    seen: dict[str, set[str]] = {}
    for reader in readers():
        seen[reader] = {
            hit.document
            for asked in questions()[::4]
            for hit in ask(sample.searcher, asked, reader, limit=EVERYTHING).hits
        }
    every = {document.relative_to(DOCUMENTS).as_posix() for document in DOCUMENTS.rglob("*.[mt][dx]*")}
    assert len(every) == 46
    # both ways: nothing that is kept from a reader, and nothing that he may read is out of his reach
    assert seen == {reader: {document for document in every if may_read(reader, document)} for reader in readers()}


def test_what_must_not_appear_would_be_third_or_better_without_the_access_filter(sample: Lockstep) -> None:
    checked = 0
    for asked in questions():
        for forbidden in asked.must_not:
            assert not may_read(asked.reader, forbidden.document)
            for reader in readers():
                if may_read(reader, forbidden.document):
                    checked += 1
                    assert forbidden.among(ask(sample.searcher, asked, reader, limit=3).hits), (asked.text, reader)
    assert checked >= 20


def test_enough_questions_need_both_legs(sample: Lockstep) -> None:
    by_words = missed_by(sample, LEXICAL, CODES)
    by_meaning = missed_by(sample, VECTOR)
    say(f"{len(questions())} questions; {len(by_words)} missed by words alone, {len(by_meaning)} by vectors alone")
    assert len(questions()) >= 40
    assert len(by_words) >= 5
    assert len(by_meaning) >= 5
    assert by_words == {asked.text for asked in questions() if asked.kind == "lexical-misses"}  # as the file says


def test_the_corpus_audits_clean(sample: Lockstep) -> None:
    audited = sample.audit.run()
    assert audited.clean, audited
    assert {found.checked for found in audited.stores.values()} == {306}
