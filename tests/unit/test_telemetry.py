"""Log lines hold a constant message and facts; never what an exception of somebody else's says."""

import json
import logging
import sys

from ingest.telemetry import JsonLines, Words


def fail(error: Exception | None) -> None:
    raise error or RuntimeError


def logged(message: str, error: Exception | None = None, **facts: object) -> dict[str, object]:
    try:
        fail(error)
    except Exception:
        info = sys.exc_info()
    record = logging.LogRecord("ingest.test", logging.WARNING, __file__, 1, message, (), info if error else None)
    record.__dict__.update(facts)
    line = JsonLines().format(record)
    assert "\n" not in line
    said: dict[str, object] = json.loads(line)
    return said


def test_facts_are_fields_beside_the_message() -> None:
    said = logged("published", event="publish.done", documents=3)
    assert (said["message"], said["event"], said["documents"]) == ("published", "publish.done", 3)
    assert said["level"] == "warning"


def test_an_exception_is_named_without_its_words() -> None:
    said = logged("failed", ValueError("the secret text of a document"))
    assert said["error"] == "ValueError"
    assert "secret" not in json.dumps(said)


def test_people_get_one_line_without_the_words_of_an_exception() -> None:
    record = logging.LogRecord("ingest.test", logging.WARNING, __file__, 1, "backing off", (), None)
    record.__dict__.update(event="x.y", documents=3, reason="no\nanswer")
    assert Words().format(record).endswith("warning backing off documents=3 reason='no answer'")


def test_where_an_exception_came_from_is_said() -> None:
    assert "test_telemetry.py" in json.dumps(logged("failed", KeyError("x"))["where"])
