"""The property harness: a simple model of the truth, and a driver that interleaves, crashes and delays the real steps."""
