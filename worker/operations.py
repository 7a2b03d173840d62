"""Every command as a function of parameters, used in process and through the loopback API alike."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from ingest.catalog import sources
from ingest.errors import Refused
from ingest.lockstep import Lockstep
from ingest.model.principal import PUBLIC, Principal, parse_principal
from ingest.model.query import Question
from ingest.operator.approve import approve
from ingest.operator.doctor import doctor
from ingest.operator.erase import erase
from ingest.operator.explain import explain
from ingest.operator.find import document as find_document
from ingest.operator.preview import preview
from ingest.operator.retry import retry
from ingest.operator.show import show
from ingest.operator.sources import remove_source
from ingest.operator.status import list_sources, status


class Parameters(BaseModel):
    """What every operation takes; unknown names are refused."""

    model_config = ConfigDict(extra="forbid")


class Search(Parameters):
    """A question. `callers` are principals as people write them; none = the user of the settings."""

    question: str
    callers: list[str] = []
    limit: int = 10
    filters: dict[str, list[str]] = {}


class Document(Parameters):
    """A document, and who asks, if anybody is named."""

    document: str
    callers: list[str] = []


class Documents(Parameters):
    """Documents; none = all."""

    documents: list[str] = []


class SourceName(Parameters):
    """A source."""

    source: str


class Repair(Parameters):
    """Whether to set right what was found."""

    repair: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """A name's parameters and what it does with an opened installation."""

    takes: type[Parameters]
    does: Callable[[Lockstep, Any], Any]
    asks_stores: bool = False
    """Its answer comes from the stores: they have to agree with the catalog."""
    writes_stores: bool = False
    leaves_work: bool = False
    """It leaves work that a running process does in the background; without one it is done before the answer."""


def callers_of(lockstep: Lockstep, named: list[str]) -> frozenset[Principal]:
    """Who asks: those named, else the user of the settings, else nobody in particular."""
    stated = named or ([lockstep.settings.user] if lockstep.settings.user else [])
    return frozenset(parse_principal(one) for one in stated) | {PUBLIC}


def _search(lockstep: Lockstep, asked: Search) -> Any:
    filters = {key: frozenset(values) for key, values in asked.filters.items()}
    unknown = sorted(filters.keys() - set(lockstep.settings.indexing.filterable))
    if unknown:
        known = ", ".join(lockstep.settings.indexing.filterable)
        raise Refused(f"cannot filter by {', '.join(unknown)}: filterable metadata are {known}")
    question = Question(asked.question, callers_of(lockstep, asked.callers), asked.limit, filters)
    return lockstep.searcher.search(question)


def _named(lockstep: Lockstep, asked: Document) -> frozenset[Principal] | None:
    return callers_of(lockstep, asked.callers) if asked.callers else None


def _retry(lockstep: Lockstep, asked: Documents) -> Any:
    with lockstep.database.read() as tx:
        ids = [find_document(tx, named) for named in asked.documents] or None
    done = retry(lockstep, ids)
    lockstep.doorbell.ring("changes")
    return {"retried": done}


def _audit(lockstep: Lockstep, asked: Repair) -> Any:
    audited = lockstep.audit.run()
    answer = {**dataclasses.asdict(audited), "clean": audited.clean}
    if asked.repair and not audited.clean:
        answer["repaired"] = lockstep.audit.repair(audited)
        lockstep.drain()
        again = lockstep.audit.run()
        answer |= {"clean": again.clean, "stores": dataclasses.asdict(again)["stores"]}
    return answer


def _unsync(lockstep: Lockstep, _: Parameters) -> Any:
    with lockstep.database.write() as tx:
        sources.unsync(tx)
        return {"sources": [row.name for row in sources.every(tx)]}


OPERATIONS: dict[str, Operation] = {
    "search": Operation(Search, _search, asks_stores=True),
    "show": Operation(Document, lambda opened, asked: show(opened, asked.document, _named(opened, asked))),
    "access": Operation(Document, lambda opened, asked: explain(opened, asked.document, _named(opened, asked))),
    "plan": Operation(Documents, lambda opened, asked: {"plans": preview(opened, asked.documents)}),
    "status": Operation(Parameters, lambda opened, _: status(opened)),
    "retry": Operation(Documents, _retry, writes_stores=True, leaves_work=True),
    "approve": Operation(
        SourceName, lambda opened, asked: approve(opened, asked.source), writes_stores=True, leaves_work=True
    ),
    "vacuum": Operation(Parameters, lambda opened, _: opened.vacuum.run(), writes_stores=True),
    "audit": Operation(Repair, _audit, writes_stores=True),
    "sources": Operation(Parameters, lambda opened, _: {"sources": list_sources(opened)}),
    "remove-source": Operation(
        SourceName, lambda opened, asked: remove_source(opened, asked.source), writes_stores=True, leaves_work=True
    ),
    "unsync": Operation(Parameters, _unsync),
    "erase": Operation(Document, lambda opened, asked: erase(opened, asked.document), writes_stores=True),
    "doctor": Operation(Parameters, lambda opened, _: {"findings": doctor(opened)}),
}


def perform(lockstep: Lockstep, name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Do one operation; returns what JSON can hold. Raises its errors, Refused for unknown names and parameters."""
    operation = OPERATIONS.get(name)
    if operation is None:
        raise Refused(f"no operation {name!r}: known are {', '.join(OPERATIONS)}")
    try:
        asked = operation.takes(**parameters)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        raise Refused(f"{name}: {wrong}") from error
    answer = plain(operation.does(lockstep, asked))
    return answer if isinstance(answer, dict) else {"answer": answer}


def plain(value: Any) -> Any:
    """Dataclasses, sets and tuples as dictionaries and lists."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    return value
