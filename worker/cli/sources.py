"""`source list`, `source remove`, `source unsync`."""

from typing import Annotated, Any

import typer

from worker.cli.output import AsJson, SettingsFile, answer, say, show

app = typer.Typer(help="Where documents come from.", no_args_is_help=True)


@app.command("list")
def list_sources(settings: SettingsFile = None, as_json: AsJson = False) -> None:
    """List sources with their state."""
    show(answer(settings, "sources", {}), as_json=as_json, lines=_sources)


def _sources(said: dict[str, Any]) -> None:
    for source in said["sources"]:
        problem = f"; {source['problem']}" if source["problem"] else ""
        say(f"{source['name']}: {source['state']}, {source['documents']} documents{problem}")


@app.command()
def remove(
    source: Annotated[str, typer.Argument(help="The source's name.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    settings: SettingsFile = None,
    as_json: AsJson = False,
) -> None:
    """Remove a source: nobody reads it any more.

    Its documents leave the indexes after.
    """
    if not yes:
        typer.confirm(f"Remove everything that came from {source}?", abort=True, err=True)
    said = answer(settings, "remove-source", {"source": source})
    show(said, as_json=as_json, lines=_removed)


def _removed(said: dict[str, Any]) -> None:
    say(f"{said['source']}: nobody can read it; its {said['documents']} documents leave the indexes")
    if said["in_settings"]:
        say("take it out of the settings too: its name is not used again")


@app.command()
def unsync(settings: SettingsFile = None, as_json: AsJson = False) -> None:
    """After a restore: nobody reads until a scan."""
    said = answer(settings, "unsync", {})
    show(said, as_json=as_json, lines=lambda said: say(f"unsynced: {', '.join(said['sources']) or 'no source'}"))
