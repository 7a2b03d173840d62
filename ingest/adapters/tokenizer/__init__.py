"""Counting, cutting and batching in a model's own tokens."""
