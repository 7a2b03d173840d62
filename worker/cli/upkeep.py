"""`status`, `vacuum`, `audit`."""

from typing import Annotated, Any

import typer

from worker.cli.output import AsJson, SettingsFile, answer, say, show

_NOT_CLEAN = 5


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(status)
    app.command()(vacuum)
    app.command()(audit)


def status(settings: SettingsFile = None, as_json: AsJson = False) -> None:
    """Say what waits, what is held, what nobody reads."""
    show(answer(settings, "status", {}), as_json=as_json, lines=_status)


def _status(said: dict[str, Any]) -> None:
    state = "running" if said["running"] else "not running"
    say(f"{state}; generation {said['generation']} at epoch {said['epoch']}, model {said['model']}")
    say(f"{said['documents']} documents, {said['records']['open']} chunks, {said['embeddings']} cached embeddings")
    oldest = "" if said["oldest_waiting_s"] is None else f", the oldest for {said['oldest_waiting_s']:.0f} s"
    say(f"waiting: {said['waiting_events']} events{oldest}; {said['behind']} documents behind")
    if said["access_due"] or said["access_folders_due"]:
        say(f"access fields follow: {said['access_due']} documents, {said['access_folders_due']} folders")
    for one in said["held"]:
        say(f"held: {one['document']} ({one['step']}): {one['reason']}")
    say(f"{said['unreadable']} documents can be read by nobody")
    for one in said["unreadable_because"]:
        say(f"  {one['documents']} because of {one['where']} ({one['source']}): {one['reason']}")
    if said["empty"]:
        say(f"{said['empty']} documents have no text, such as {', '.join(said['empty_documents'][:5])}")
    for source in said["sources"]:
        age = "never" if source["seconds_since_scan"] is None else f"{source['seconds_since_scan']:.0f} s ago"
        problem = f"; {source['problem']}" if source["problem"] else ""
        say(f"source {source['name']}: {source['state']}, {source['documents']} documents, scanned {age}{problem}")
    say(f"disk: {said['disk_used'] / 1e6:.1f} MB used, {said['disk_free'] / 1e9:.1f} GB free")


def vacuum(settings: SettingsFile = None, as_json: AsJson = False) -> None:
    """Delete records that no reader can accept any more."""
    show(
        answer(settings, "vacuum", {}),
        as_json=as_json,
        lines=lambda said: say(", ".join(f"{count} {word}" for word, count in said.items())),
    )


def audit(
    repair: Annotated[bool, typer.Option("--repair", help="Set right what differs.")] = False,
    settings: SettingsFile = None,
    as_json: AsJson = False,
) -> None:
    """Compare the catalog and both indexes record by record."""
    said = answer(settings, "audit", {"repair": repair})
    show(said, as_json=as_json, lines=_audit)
    if not said["clean"]:
        raise typer.Exit(_NOT_CLEAN)


def _audit(said: dict[str, Any]) -> None:
    for name, found in said["stores"].items():
        say(
            f"{name}: {found['checked']} records checked, {len(found['missing'])} missing, "
            f"{len(found['unknown'])} unknown, {len(found['wrong_access'])} documents with other access fields"
        )
    if said.get("repaired"):
        say("repaired: " + ", ".join(f"{count} {word}" for word, count in said["repaired"].items()))
    if said["behind"] or said["access_due"]:
        say(f"{said['behind']} documents behind, {said['access_due']} wait for access fields")
    say("clean" if said["clean"] else "not clean: run `lockstep audit --repair`, or wait until nothing is behind")
