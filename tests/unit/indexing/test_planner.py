"""A plan adds what is new, keeps what is there, closes what went, and renumbers only what moved."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from ingest.catalog.records import OpenRecord
from ingest.indexing.planner import Plan, plan_document
from ingest.model.chunk import Chunk, ChunkId, ChunkNaming, Passage, hash_input
from ingest.model.order_key import keys_between
from ingest.model.record import RecordId


def chunks(*texts: str) -> tuple[Chunk, ...]:
    naming = ChunkNaming(7, ())
    return tuple(Chunk(naming.name(p), p, p.text, hash_input(p.text), (), ()) for p in map(Passage, texts))


def records(*texts: str, lost: Sequence[str] = ()) -> list[OpenRecord]:
    keys = keys_between(None, None, len(texts))
    named = zip(chunks(*texts), keys, strict=True)
    return [OpenRecord(RecordId(f"r-{c.passage.text}-{k}"), c.id, k, c.passage.text in lost) for c, k in named]


def order_after(plan: Plan, before: Sequence[OpenRecord]) -> list[ChunkId]:
    """Chunk ids in the document order that the plan leads to."""
    moved = dict(plan.reorder)
    kept = {moved.get(r.id, r.order_key): r.chunk for r in before if r.id in plan.keep}
    return [chunk for _, chunk in sorted({**kept, **{a.order_key: a.chunk.id for a in plan.add}}.items())]


def test_nothing_changed_is_an_empty_plan() -> None:
    plan = plan_document(7, 2, records("a", "b"), chunks("a", "b"))
    assert (plan.add, plan.close, plan.reorder) == ((), frozenset(), ())


def test_an_edit_adds_one_and_closes_one() -> None:
    plan = plan_document(7, 2, records("a", "b", "c"), chunks("a", "B", "c"))
    assert [a.chunk.passage.text for a in plan.add] == ["B"]
    assert len(plan.close) == 1
    assert plan.reorder == ()


def test_an_insertion_on_top_renumbers_nobody() -> None:
    plan = plan_document(7, 2, records("a", "b", "c"), chunks("new", "a", "b", "c"))
    assert len(plan.add) == 1
    assert plan.reorder == ()
    assert plan.close == frozenset()


def test_one_moved_chunk_is_renumbered_and_nothing_is_written() -> None:
    plan = plan_document(7, 2, records("a", "b", "c", "d"), chunks("d", "a", "b", "c"))
    assert (plan.add, plan.close) == ((), frozenset())
    assert len(plan.reorder) == 1


def test_equal_chunks_are_told_apart_by_their_occurrence() -> None:
    plan = plan_document(7, 2, records("a", "a"), chunks("a", "a", "a"))
    assert len(plan.add) == 1
    assert len(plan.keep) == 2


def test_a_deleted_document_closes_everything() -> None:
    before = records("a", "b")
    assert plan_document(7, 3, before, ()).close == {record.id for record in before}


def test_what_an_index_lost_is_closed_and_added_again() -> None:
    plan = plan_document(7, 3, records("a", "b", lost=["b"]), chunks("a", "b"))
    assert [a.chunk.passage.text for a in plan.add] == ["b"]
    assert len(plan.close) == 1


texts = st.lists(st.sampled_from("abcdefgh"), max_size=12)


@given(texts, texts)
def test_a_plan_leads_to_the_chunks_in_their_order(before: list[str], after: list[str]) -> None:
    stored, wanted = records(*before), chunks(*after)
    plan = plan_document(7, 2, stored, wanted)
    assert order_after(plan, stored) == [chunk.id for chunk in wanted]
    assert plan.keep | plan.close == {record.id for record in stored}
    assert not plan.keep & plan.close


@given(texts)
def test_planning_what_is_there_changes_nothing(before: list[str]) -> None:
    plan = plan_document(7, 2, records(*before), chunks(*before))
    assert (plan.add, plan.close, plan.reorder) == ((), frozenset(), ())
