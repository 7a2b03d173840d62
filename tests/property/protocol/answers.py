"""Checks of one answer: what it may hold, what it must not, and what it must."""

import json
from collections import Counter, defaultdict
from dataclasses import dataclass

from ingest.model.principal import Principal
from ingest.model.query import Answer, Question
from ingest.model.record import RecordId
from tests.property.protocol.model import Oracle, record_id
from tests.property.protocol.strands import Process
from tests.property.protocol.truth import Chunk

LIMIT = 100
WORD = "common"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question on its way: who asks, and for which category alone."""

    name: str
    category: str | None

    def question(self, caller: frozenset[Principal]) -> Question:
        """What the reader is given. Every chunk has the word, so that a whole answer holds every chunk."""
        filters = {"category": frozenset({self.category})} if self.category else {}
        return Question(f"{WORD} ZZ-001", caller, LIMIT, filters)


def passed(oracle: Oracle, process: Process, point: str) -> None:
    """Remember what a reader could know when it passes a point."""
    facts = process.facts
    if point == "reader.after_snapshot":
        facts["restarts"] = facts.get("restarts", -1) + 1
        facts["began"] = oracle.now
        facts["epoch"] = oracle.catalog.epoch
        facts["caller"] = oracle.closures[facts["asked"].name]
        facts["healing"], facts["due"] = _following(oracle)
    elif point == "reader.after_search":
        stores = (oracle.rig.lexical, oracle.rig.vector)
        facts["found"] = frozenset().union(*(store.admitted(facts["caller"]) for store in stores))
        # a record that was closed since the snapshot is not followed up any more: what was due then counts as well
        healing, due = _following(oracle)
        facts["healing"], facts["due"] = facts["healing"] or healing, facts["due"] | due


def _following(oracle: Oracle) -> tuple[bool, set[int]]:
    """Whether folders wait for their fan-out, and the documents whose access fields are about to follow."""
    rows = oracle.catalog.indexing.items()
    return oracle.catalog.work > 0, {i for i, row in rows if row.access_due or row.carried is None}


@dataclass(frozen=True, slots=True)
class Valid:
    """A record that is valid at the answer's epoch."""

    document: int
    chunk: Chunk


def check(oracle: Oracle, process: Process, answer: Answer) -> None:
    """Hold an answer against the model. Nothing has happened since the reader's last check."""
    asked: Asked = process.facts["asked"]
    if answer.epoch != process.facts["epoch"]:
        oracle.fail("P1", f"answered from epoch {answer.epoch}, the snapshot was {process.facts['epoch']}")
        return
    valid = _valid(oracle, answer.epoch)
    hits: defaultdict[int, Counter[Chunk]] = defaultdict(Counter)
    for hit in answer.hits:
        record = valid.get(RecordId(hit.id))
        if record is None or record.chunk.text != hit.text:
            oracle.fail("P1", f"a record that is not valid at epoch {answer.epoch} was returned: {hit.text!r}")
            return
        if asked.category and f"category={asked.category}" not in record.chunk.metadata:
            oracle.fail("P1", f"a record of another category was returned: {hit.text!r}")
        _check_hit(oracle, asked.name, RecordId(hit.id), record)
        hits[record.document][record.chunk] += 1
    _check_whole(oracle, process, answer, hits, valid)


def _check_hit(oracle: Oracle, name: str, record_id: RecordId, record: Valid) -> None:
    since = oracle.allowed_since.get((name, record.document))
    text = record.chunk.text
    if record.document in oracle.dead:
        oracle.fail("P4", f"a deleted document was returned to {name}: {text!r}")
    elif since is None:
        oracle.fail("P3", f"{name} may not read what was returned: {text!r}")
    elif oracle.stale[record.document].get(text, since) < since:
        oracle.fail("P3", f"{name} was newly allowed and got text that was already known to be out of date: {text!r}")
    stores = (oracle.rig.lexical, oracle.rig.vector)
    if record_id not in oracle.lost and not all(record_id in store.findable() for store in stores):
        oracle.fail("P1", f"a chunk was returned that only one store can find: {text!r}")


def _check_whole(
    oracle: Oracle,
    process: Process,
    answer: Answer,
    hits: dict[int, Counter[Chunk]],
    valid: dict[RecordId, Valid],
) -> None:
    asked: Asked = process.facts["asked"]
    pending = 0
    for document, version in oracle.published[answer.epoch].items():
        chunks = oracle.texts[document].get(version, ())
        whole = Counter(c for c in chunks if not asked.category or f"category={asked.category}" in c.metadata)
        got = hits.get(document, Counter())
        if got - whole:
            oracle.fail("P1", f"chunks of two versions of one document: {got - whole} beside version {version}")
        since = oracle.allowed_since.get((asked.name, document))
        if since is None or since > process.facts["began"]:
            continue
        missing = whole - got
        if missing:
            pending += _excused(oracle, process, document, missing, valid)
    if pending > answer.pending:
        oracle.fail("P1", f"{asked.name} misses {pending} chunks, of which the answer calls {answer.pending} pending")
    if answer.truncated:
        oracle.fail("P1", "an answer that left nothing out calls itself truncated")


def _excused(
    oracle: Oracle, process: Process, document: int, missing: Counter[Chunk], valid: dict[RecordId, Valid]
) -> int:
    """How many of the missing chunks must have been counted as pending; the others were not found, rightly."""
    asked: Asked = process.facts["asked"]
    began, found = process.facts["began"], process.facts["found"]
    left = Counter(missing)
    for i, record in valid.items():
        if record.document != document or left[record.chunk] <= 0 or i in found:
            continue
        fields_follow = process.facts["healing"] or document in process.facts["due"] or document in oracle.late_patched
        if i not in oracle.lost and not fields_follow:
            oracle.fail("P1", f"{asked.name} cannot find {record.chunk.text!r}, and no fields are about to follow")
        left[record.chunk] -= 1
    pending = sum((+left).values())
    if not pending:
        return 0
    behind = [since for since, until in oracle.behind[document] if until >= began]
    if not behind:
        oracle.fail("P1", f"a hole: {asked.name} misses {list(+left)}")
    elif _touched(oracle, asked.name, document) < behind[0]:
        oracle.fail("P1", f"{asked.name}, who was not newly allowed, misses {list(+left)}")
    return pending


def _touched(oracle: Oracle, name: str, document: int) -> int:
    """When the access of this caller to this document last changed in any way."""
    chain = oracle.catalog.chain(document)
    things: list[object] = ["source", ("d", document), *(("f", i) for i in chain), *oracle.closures[name]]
    return max(oracle.touched.get(thing, 0) for thing in things)


def _valid(oracle: Oracle, epoch: int) -> dict[RecordId, Valid]:
    rows = oracle.db.execute(
        "SELECT id, document_id, body, metadata FROM records "
        "WHERE from_epoch <= ? AND (to_epoch IS NULL OR to_epoch > ?)",
        (epoch, epoch),
    )
    return {record_id(i): Valid(document, Chunk(body, tuple(json.loads(words)))) for i, document, body, words in rows}
