"""Embedding with sentence-transformers. Importing this imports neither it nor torch."""
