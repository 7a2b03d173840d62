"""A smallest ONNX file, written byte by byte: each token's vector is a row of a table."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_FLOAT, _INT64 = 1, 7


def write_table_model(path: Path, table: NDArray[np.float32], inputs: Sequence[str] = ("input_ids",)) -> Path:
    """A graph whose `last_hidden_state` is `table[input_ids]`; further inputs are taken and not looked at."""
    rows, dimension = table.shape
    node = _text(1, "table") + _text(1, "input_ids") + _text(2, "last_hidden_state") + _text(4, "Gather")
    tensor = _number(1, rows) + _number(1, dimension) + _number(2, _FLOAT) + _text(8, "table")
    tensor += _bytes(9, np.ascontiguousarray(table, dtype="<f4").tobytes())
    graph = _bytes(1, node) + _text(2, "tiny") + _bytes(5, tensor)
    for name in inputs:
        graph += _bytes(11, _value(name, _INT64, ["batch", "sequence"]))
    graph += _bytes(12, _value("last_hidden_state", _FLOAT, ["batch", "sequence", dimension]))
    path.write_bytes(_number(1, 8) + _bytes(7, graph) + _bytes(8, _text(1, "") + _number(2, 13)))
    return path


def _value(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    axes = (_text(2, axis) if isinstance(axis, str) else _number(1, axis) for axis in shape)
    tensor = _number(1, kind) + _bytes(2, b"".join(_bytes(1, axis) for axis in axes))
    return _text(1, name) + _bytes(2, _bytes(1, tensor))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
