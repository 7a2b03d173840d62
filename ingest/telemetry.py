"""Logging: a constant message to search for, facts as fields, one line per outcome on standard error.

JSON for programs, plain words on a terminal. Lines hold ids, counts and reasons, never document text or a secret: of
an exception only its type and where it came from, since others' messages may quote what they were given.
"""

import json
import logging
import sys
import traceback
from typing import Any

_PLAIN = frozenset(logging.LogRecord("", 0, "", 0, "", (), None).__dict__) | {"message", "asctime", "taskName"}
_FRAMES = 4


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """The record with its extra fields."""
        line = {
            "at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        return json.dumps(line | facts_of(record), default=str)


class Words(logging.Formatter):
    """One line for people."""

    def format(self, record: logging.LogRecord) -> str:
        """The message and its facts."""
        said = " ".join(f"{key}={_word(value)}" for key, value in facts_of(record).items() if key != "event")
        return f"{self.formatTime(record, '%H:%M:%S')} {record.levelname.lower()} {record.getMessage()} {said}".rstrip()


def facts_of(record: logging.LogRecord) -> dict[str, Any]:
    """A record's extra fields; of an exception its type and the innermost places."""
    facts = {key: value for key, value in record.__dict__.items() if key not in _PLAIN}
    if record.exc_info and record.exc_info[0] is not None:
        frames = traceback.extract_tb(record.exc_info[2])[-_FRAMES:]
        facts["error"] = record.exc_info[0].__name__
        facts["where"] = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
    return facts


def configure(level: str = "WARNING") -> None:
    """Send the library's logs to standard error; called by a process, never by the library."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Words() if sys.stderr.isatty() else JsonLines())
    for name in ("ingest", "worker"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level.upper())
        logger.propagate = False


def _word(value: object) -> str:
    text = " ".join(str(value).split())
    return repr(text) if " " in text or not text else text
