"""Benchmarks: each is a module with `run`, which returns figures; docs/benchmarks.md says what they mean."""
