"""Embedding with ONNX Runtime: the embedded default."""
