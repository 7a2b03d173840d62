"""Batches of inputs for one model call."""

from collections.abc import Iterator, Sequence


def padded_batches(lengths: Sequence[int], max_tokens: int) -> Iterator[list[int]]:
    """Positions grouped so that rows times the longest row is at most `max_tokens`; a longer input goes alone.

    Longest first, so that rows of a batch have like lengths and hardly anything is padding.
    """
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lambda at: -lengths[at]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > max_tokens:
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def counted_batches(lengths: Sequence[int], max_tokens: int, max_inputs: int) -> Iterator[list[int]]:
    """Positions in their order, grouped so that neither limit is passed; a longer input goes alone."""
    batch: list[int] = []
    tokens = 0
    for position, length in enumerate(lengths):
        if batch and (len(batch) == max_inputs or tokens + length > max_tokens):
            yield batch
            batch, tokens = [], 0
        batch.append(position)
        tokens += length
    if batch:
        yield batch
