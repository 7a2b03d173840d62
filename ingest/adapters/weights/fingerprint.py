"""The fingerprint of a model: equal exactly when its vectors may be compared."""

import hashlib
import json


def fingerprint(**shapes: str | int) -> str:
    """A hash of everything that shapes a vector, 40 hexadecimal digits.

    Weights go in by content (or, for a remote model, by the server's name for them), never by the name people use:
    other weights under the same name differ, the same weights under another name are equal.
    """
    return hashlib.sha256(json.dumps(shapes, sort_keys=True).encode()).hexdigest()[:40]
