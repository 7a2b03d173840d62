"""Figures of a test, for whoever runs it with `-s` or reads why it failed."""

import sys


def say(line: str) -> None:
    """One line on standard output."""
    sys.stdout.write(f"\n{line}\n")
