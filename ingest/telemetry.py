"""Logging: a constant message to search for, facts as fields, one JSON line per outcome on standard error."""

import json
import logging
import sys
from typing import Any

_PLAIN = frozenset(logging.LogRecord("", 0, "", 0, "", (), None).__dict__) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    """One JSON object a line. Never holds document text or a secret: callers pass ids, counts and reasons."""

    def format(self, record: logging.LogRecord) -> str:
        """The record with its extra fields."""
        line: dict[str, Any] = {
            "at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {key: value for key, value in record.__dict__.items() if key not in _PLAIN}
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            line["where"] = self.formatException(record.exc_info).splitlines()[-3:-1]
        return json.dumps(line, default=str)


def configure(level: str = "WARNING") -> None:
    """Send the library's logs to standard error; called once by a process, never by the library."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("ingest", "worker"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level)
        logger.propagate = False
