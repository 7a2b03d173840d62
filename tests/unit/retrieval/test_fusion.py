"""Fusion ranks survivors only, puts exact codes first, and breaks ties by id."""

import pytest

from ingest.model.record import Candidate, RecordId
from ingest.retrieval.fusion import CODES, fuse


def leg(*ids: str) -> list[Candidate]:
    return [Candidate(RecordId(i), 1.0 / n) for n, i in enumerate(ids, 1)]


def everything(*legs: list[Candidate]) -> frozenset[RecordId]:
    return frozenset(candidate.id for one in legs for candidate in one)


def test_found_by_both_legs_beats_first_in_one() -> None:
    lexical, vector = leg("a", "b"), leg("c", "b")
    assert fuse({"lexical": lexical, "vector": vector}, everything(lexical, vector))[0].id == "b"


def test_ranks_count_survivors_only() -> None:
    lexical = leg("forbidden", "a")
    (only,) = fuse({"lexical": lexical}, frozenset({RecordId("a")}))
    assert only.legs[0].rank == 1
    assert only.score == pytest.approx(1 / 61)


def test_an_exact_code_comes_before_any_score() -> None:
    lexical, vector, codes = leg("a", "b"), leg("a", "b"), leg("z")
    assert fuse({"lexical": lexical, "vector": vector, CODES: codes}, everything(lexical, codes))[0].id == "z"


def test_ties_are_broken_by_id() -> None:
    lexical, vector = leg("b"), leg("a")
    fused = fuse({"lexical": lexical, "vector": vector}, everything(lexical, vector))
    assert [hit.id for hit in fused] == ["a", "b"]


def test_what_did_not_survive_is_not_there() -> None:
    assert fuse({"lexical": leg("a")}, frozenset()) == []
