"""`run`, `plan`, `retry`, `approve`."""

import dataclasses
import json
import logging
import os
import sys
from typing import Annotated, Any

import typer

from worker.cli.output import AsJson, SettingsFile, answer, log_level, read_settings, say, show, warn
from worker.cli.progress import progress_bar

_TRY_AGAIN = 4


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(run)
    app.command()(plan)
    app.command()(retry)
    app.command()(approve)


def run(
    once: Annotated[bool, typer.Option("--once", help="Scan, index what is due, and exit.")] = False,
    settings: SettingsFile = None,
    as_json: AsJson = False,
) -> None:
    """Scan, watch, index and answer other commands, until stopped."""
    from ingest import telemetry  # noqa: PLC0415
    from worker import run as running  # noqa: PLC0415 -- opens the stores' libraries

    telemetry.configure(log_level())
    loaded = read_settings(settings)
    if not once:
        with progress_bar() as progress:
            running.until_stopped(loaded, lambda _: _ready(as_json=as_json), progress)
        return
    with progress_bar() as progress:
        done = running.once(loaded, progress)
    said = {**dataclasses.asdict(done.drained), "scanned": done.scanned, "problems": done.problems}
    show(said, as_json=as_json, lines=_once)
    if done.incomplete:
        raise typer.Exit(_TRY_AGAIN)


def _ready(*, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps({"running": True, "pid": os.getpid()}) + "\n")
        sys.stdout.flush()
    warn("running; other commands find this process by themselves (Ctrl-C stops it)")
    logging.getLogger("worker").info("running", extra={"event": "run.ready"})


def _once(said: dict[str, Any]) -> None:
    for source, listed in said["scanned"].items():
        say(f"{source}: {listed} documents")
    say(
        f"indexed {said['documents']} documents: {said['added']} chunks added, {said['closed']} closed, "
        f"{said['embedded']} texts embedded, {said['reused']} from the cache, {said['held']} held"
    )
    for problem in said["problems"]:
        warn(f"problem: {problem}")


def plan(
    documents: Annotated[list[str] | None, typer.Argument(help="Documents; without any, all that differ.")] = None,
    settings: SettingsFile = None,
    as_json: AsJson = False,
) -> None:
    """Show what indexing would change, without doing it.

    Reads the files as they are now: chunks added, kept and closed, texts embedded.
    """
    said = answer(settings, "plan", {"documents": documents or []})
    show(said, as_json=as_json, lines=_plans)


def _plans(said: dict[str, Any]) -> None:
    for one in said["plans"]:
        counts = f"add {one['add']}, keep {one['keep']}, close {one['close']}, move {one['move']}, embed {one['embed']}"
        say(f"{one['document']}: {one['change']}; {one['problem'] or counts}")
    if not said["plans"]:
        say("nothing differs")


def retry(
    documents: Annotated[list[str] | None, typer.Argument(help="Documents; without any, all that are held.")] = None,
    settings: SettingsFile = None,
    as_json: AsJson = False,
) -> None:
    """Take holds off: documents are read and indexed again."""
    said = answer(settings, "retry", {"documents": documents or []})
    show(said, as_json=as_json, lines=lambda said: say(f"{said['retried']} documents will be tried again"))


def approve(
    source: Annotated[str, typer.Argument(help="The source whose last scan missed suspiciously many documents.")],
    settings: SettingsFile = None,
    as_json: AsJson = False,
) -> None:
    """Delete what the last scan missed and held."""
    said = answer(settings, "approve", {"source": source})
    show(said, as_json=as_json, lines=lambda said: say(f"{said['missing']} missing documents of {source} are deleted"))
