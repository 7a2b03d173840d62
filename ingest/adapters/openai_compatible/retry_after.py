"""The `Retry-After` header, in both its forms."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_A_DAY = 86_400.0  # seconds


def retry_after_s(header: str | None, now: datetime) -> float | None:
    """Seconds that a server asks to wait: a number, or an HTTP date minus `now` (with a time zone).

    From 0 to a day; None when there is no header or it says nothing that can be understood.
    """
    if not header:
        return None
    said = header.strip()
    if said.replace(".", "", 1).isdigit() and said.isascii():
        return min(float(said), _A_DAY)
    try:
        date = parsedate_to_datetime(said)
    except ValueError:
        return None
    if date.tzinfo is None:  # an HTTP date is in GMT whether it says so or not
        date = date.replace(tzinfo=UTC)
    return min(max((date - now).total_seconds(), 0.0), _A_DAY)
