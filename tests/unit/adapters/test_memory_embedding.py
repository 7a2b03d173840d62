"""What the stand-in model offers to tests beyond the contract."""

import subprocess
import sys
from pathlib import Path

import pytest

from ingest.adapters.memory.embedding_model import MemoryEmbeddingModel
from ingest.errors import InputRejected, ModelBusy
from ingest.model.chunk import hash_input

KILLED_AFTER_TWO_CALLS = """
import os, signal, sys
from pathlib import Path
from ingest.adapters.memory.embedding_model import MemoryEmbeddingModel
model = MemoryEmbeddingModel(call_log=Path(sys.argv[1]))
model.embed_passages(["refund", "window"])
model.embed_query("refund")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_call_log_survives_a_kill(tmp_path: Path) -> None:
    log = tmp_path / "calls"
    died = subprocess.run([sys.executable, "-c", KILLED_AFTER_TWO_CALLS, str(log)], check=False)
    assert died.returncode == -9
    expected = [f"passage {hash_input('refund')}", f"passage {hash_input('window')}", f"query {hash_input('refund')}"]
    assert log.read_text().splitlines() == expected


def test_calls_and_inputs_are_counted_and_recorded_as_they_came() -> None:
    model = MemoryEmbeddingModel(passage_prompt="passage: ", query_prompt="query: ")
    model.embed_passages(["passage: a", "passage: b"])
    model.embed_query("c")
    assert (model.calls, model.inputs) == (2, 3)
    assert list(model.recent) == ["passage: a", "passage: b", "query: c"]


def test_blank_inputs_are_refused_by_their_row() -> None:
    with pytest.raises(InputRejected) as refused:
        MemoryEmbeddingModel().embed_passages(["a", " \n"])
    assert refused.value.row == 1


def test_failures_are_injected_per_input() -> None:
    def refuse(text: str) -> str | None:
        if "busy" in text:
            raise ModelBusy("memory", 7)
        return "looks bad" if "bad" in text else None

    model = MemoryEmbeddingModel(refuse=refuse)
    with pytest.raises(InputRejected, match="embedding input 1: looks bad"):
        model.embed_passages(["good", "bad"])
    with pytest.raises(ModelBusy):
        model.embed_passages(["good", "busy"])
    assert model.embed_passages(["good"]).shape == (1, 64)


def test_other_weights_give_other_vectors_and_another_fingerprint() -> None:
    one, other = MemoryEmbeddingModel(weights="one", name="same"), MemoryEmbeddingModel(weights="other", name="same")
    assert one.fingerprint != other.fingerprint
    assert abs(float(one.embed_query("refund") @ other.embed_query("refund"))) < 0.6
    renamed = MemoryEmbeddingModel(weights="one", name="renamed")
    assert renamed.fingerprint == one.fingerprint
