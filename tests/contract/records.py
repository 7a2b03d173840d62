"""Records for contract tests. Two texts answer the one question all adapters are asked: NEAR better than FAR."""

from collections.abc import Iterable
from typing import Final

from ingest.model.access import Access
from ingest.model.principal import PUBLIC, Principal
from ingest.model.record import Filters, Record, RecordId

QUESTION: Final = "refund window"
NEAR: Final = "the refund window"
FAR: Final = "whoever asks about a refund after a long journey may be given another window by the clerk on duty"

READER: Final = frozenset({PUBLIC, Principal("local:user:ann")})
NO_FILTER: Final[Filters] = {}


def record_id(number: int) -> RecordId:
    """A canonical UUID; ids ascend with their numbers."""
    return RecordId(f"00000000-0000-4000-8000-{number:012x}")


def principals(*names: str) -> frozenset[Principal]:
    """`ann` is a user, `+support` a group, `public` is public."""
    return frozenset(_principal(name) for name in names)


def access(allow: Iterable[str] = ("public",), deny: Iterable[str] = ()) -> Access:
    """Access fields from short names (see `principals`)."""
    return Access(principals(*allow), principals(*deny))


def record(
    number: int,
    text: str = NEAR,
    *,
    heading: tuple[str, ...] = (),
    codes: tuple[str, ...] = (),
    metadata: tuple[str, ...] = (),
    allow: Iterable[str] = ("public",),
    deny: Iterable[str] = (),
) -> Record:
    """A record of document `number`; unless told otherwise, one that QUESTION finds and everybody may read."""
    return Record(record_id(number), number, text, heading, codes, metadata, access(allow, deny))


def ids(*numbers: int) -> list[RecordId]:
    """The ids of some numbers, in their order."""
    return [record_id(number) for number in numbers]


def _principal(name: str) -> Principal:
    if name == PUBLIC:
        return PUBLIC
    return Principal(f"local:group:{name[1:]}" if name.startswith("+") else f"local:user:{name}")
