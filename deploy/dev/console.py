"""What a person sees: answers on standard output, progress on standard error."""

import sys


def answer(line: str) -> None:
    """Print a line that a program may read."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def progress(line: str) -> None:
    """Print a line for whoever waits."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
