"""`search`, `show`, `access`, `erase`."""

from typing import Annotated, Any

import typer

from ingest.errors import Refused
from worker.cli.output import AsJson, SettingsFile, answer, say, show

As = Annotated[list[str] | None, typer.Option("--as", help="Who asks, such as user:ann or group:support; repeatable.")]
Document = Annotated[str, typer.Argument(help="The document as searches name it, or SOURCE:DOCUMENT.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(search)
    app.command("show")(show_document)
    app.command()(access)
    app.command()(erase)


def search(
    question: Annotated[str, typer.Argument(help="What to look for.")],
    *,
    callers: As = None,
    limit: Annotated[int, typer.Option(help="How many results.", min=1)] = 10,
    where: Annotated[list[str] | None, typer.Option(help="Metadata, key=value; repeatable.")] = None,
    settings: SettingsFile = None,
    as_json: AsJson = False,
) -> None:
    """Ask, as the user of the settings or as whoever --as names."""
    filters: dict[str, list[str]] = {}
    for one in where or []:
        key, equals, value = one.partition("=")
        if not equals:
            raise Refused(f"--where {one!r} is not key=value")
        filters.setdefault(key, []).append(value)
    asked = {"question": question, "callers": callers or [], "limit": limit, "filters": filters}
    show(answer(settings, "search", asked), as_json=as_json, lines=_hits)


def _hits(said: dict[str, Any]) -> None:
    for rank, hit in enumerate(said["hits"], 1):
        path = " > ".join(hit["heading_path"])
        legs = ", ".join(f"{leg['name']} {leg['rank']}" for leg in hit["legs"])
        say(f"{rank}. {hit['document']}{'  ' + path if path else ''}   [{legs}]")
        for line in hit["text"].splitlines()[:4]:
            say(f"     {line[:160]}")
    notes = []
    if not said["hits"]:
        notes.append("nothing found that you may read")
    if said["truncated"]:
        notes.append("there may be more further down")
    if said["pending"]:
        notes.append(f"{said['pending']} texts wait for their newer version")
    for note in notes:
        say(f"({note})")


def show_document(
    document: Document, callers: As = None, settings: SettingsFile = None, as_json: AsJson = False
) -> None:
    """Show what is published of a document.

    With --as, only what those may read.
    """
    said = answer(settings, "show", {"document": document, "callers": callers or []})
    show(said, as_json=as_json, lines=_shown)


def _shown(said: dict[str, Any]) -> None:
    say(f"{said['document']}: {said['title']}, version {said['published_version']} of {said['wanted_version']}")
    if said["held"]:
        say(f"held: {said['held']}")
    for chunk in said["chunks"]:
        say(f"--- {' > '.join(chunk['heading_path'])} (since version {chunk['since_version']})")
        say(chunk["text"])


def access(document: Document, callers: As = None, settings: SettingsFile = None, as_json: AsJson = False) -> None:
    """Say who can read a document and why.

    With --as, whether those may, and by which entry and memberships.
    """
    said = answer(settings, "access", {"document": document, "callers": callers or []})
    show(said, as_json=as_json, lines=_explained)


def _explained(said: dict[str, Any]) -> None:
    if said["nobody_because"]:
        say(f"{said['document']}: nobody, because {said['nobody_because']}")
    else:
        denied = f", but not {', '.join(said['deny'])}" if said["deny"] else ""
        say(f"{said['document']}: {', '.join(said['allow'])}{denied}")
    for step in said["steps"]:
        entries = "".join(f", {word} {', '.join(step[word])}" for word in ("allow", "deny") if step[word])
        say(f"  {step['at']}: {step['policy']}{entries}{'; ' + step['problem'] if step['problem'] else ''}")
    caller = said["caller"]
    if caller is not None:
        path = f" (member by {' in '.join(caller['path'])})" if len(caller["path"]) > 1 else ""
        say(f"the caller {'may' if caller['may_read'] else 'may not'} read it: {caller['because']}{path}")


def erase(
    document: Document,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    settings: SettingsFile = None,
    as_json: AsJson = False,
) -> None:
    """Erase a document, and its words from every file.

    From the catalog and both indexes at once; then each store is compacted, reported as done or pending.
    """
    if not yes:
        typer.confirm(f"Erase {document} from every store?", abort=True, err=True)
    show(answer(settings, "erase", {"document": document}), as_json=as_json, lines=_erased)


def _erased(said: dict[str, Any]) -> None:
    say(f"{said['document']}: nobody can read it; {said['records']} records erased")
    for store, state in said["stores"].items():
        say(f"  {store}: {state}")
    if said["still_at_source"]:
        say("the file is still at its source: remove it or exclude it, or the next scan brings it back")
    named = f" ({', '.join(said['backups'])})" if said["backups"] else ""
    say(f"backups made before now still hold it: remove them, or erase it again after a restore{named}")
