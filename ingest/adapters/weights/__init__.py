"""Where a model's files lie, that they are the expected ones, and the fingerprint they give."""
