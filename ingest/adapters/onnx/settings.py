"""What there is to say about an ONNX embedding model."""

from dataclasses import dataclass
from typing import Literal

from ingest.adapters.weights.file import ModelFile

Pooling = Literal["mean", "cls"]


@dataclass(frozen=True, slots=True)
class OnnxModelSettings:
    """An ONNX graph with token vectors as output, its tokenizer, and how they are used."""

    name: str
    """What people call it; not part of the fingerprint."""
    weights: ModelFile
    tokenizer: ModelFile
    dimension: int
    max_tokens: int
    """The most tokens of one input, special tokens included."""
    passage_prompt: str = ""
    query_prompt: str = ""
    pooling: Pooling = "mean"
    """`mean` over the tokens that are not padding, or the first token's vector."""
    output: str = "last_hidden_state"
    """The graph's output with one vector per token: float (batch, sequence, dimension)."""
    numeric_format: str = "float32"
    """What the weights are stored as, for the fingerprint and for people."""
    threads: int = 2
    """Threads inside one operator. ONNX Runtime's own default would take every core."""
    batch_tokens: int = 1024
    """Tokens of one call, padding included. Larger batches were slower on a CPU (35 against 44 inputs/s at 4096)."""
