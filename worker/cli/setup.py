"""`init` and `doctor`."""

import getpass
from pathlib import Path
from typing import Annotated, Any

import typer

from ingest.errors import LockstepError, SettingsInvalid
from worker.cli.output import AsJson, SettingsFile, answer, say, show

_FILE = Path("lockstep.yaml")
_ALLOW = """\
    # Who may read the root, unless its own .access.yaml says so. Folders below inherit it.
    allow: [user:{user}]
"""
_STATED = "    # who may read it is stated in its own .access.yaml\n"

_TEMPLATE = """\
# Lockstep's settings; every key is explained in docs/settings.md.

# Who asks when a search names nobody with --as.
user: user:{user}

sources:
  documents:
    path: {path}
{allow}
# People and groups, for the policies in .access.yaml files.
{directories}"""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(init)
    app.command()(doctor)


def init(
    docs: Annotated[Path, typer.Argument(help="The folder with documents.", exists=True, file_okay=False)],
    as_json: AsJson = False,
) -> None:
    """Write ./lockstep.yaml for a folder of documents.

    Nothing is written into that folder, and nothing is overwritten.
    """
    if _FILE.exists():
        raise SettingsInvalid(f"{_FILE} is here already: edit it, or remove it first")
    if docs.resolve() in [Path.cwd(), *Path.cwd().parents]:
        raise SettingsInvalid(
            f"this folder lies in {docs.resolve()}, and nothing is written into documents: change to a folder outside, "
            f"then `lockstep init {docs.resolve()}`"
        )
    user = getpass.getuser()
    groups = Path("groups.yaml").is_file()
    directories = "directories:\n  local: groups.yaml\n" if groups else "# directories:\n#   local: groups.yaml\n"
    stated = (docs / ".access.yaml").exists()
    allow = _STATED if stated else _ALLOW.format(user=user)
    text = _TEMPLATE.format(user=user, path=_yaml_path(docs), allow=allow, directories=directories)
    _FILE.write_text(text, encoding="utf-8")
    data = Path(".lockstep")
    # it will hold the text of every document: for this user alone
    data.mkdir(mode=0o700, exist_ok=True)
    (data / ".gitignore").write_text("*\n", encoding="utf-8")
    said = {
        "settings": str(_FILE.resolve()),
        "data": str(data.resolve()),
        "user": f"user:{user}",
        "groups": groups,
        "root_allows_user": not stated,
    }
    show(said, as_json=as_json, lines=_initialised)


def _yaml_path(docs: Path) -> str:
    escaped = str(docs).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _initialised(said: dict[str, Any]) -> None:
    say(f"wrote {said['settings']}; data will be kept in {said['data']}")
    if said["root_allows_user"]:
        say(f"the source's entry says that you, {said['user']}, may read its root")
    else:
        say("who may read the documents is stated in their own .access.yaml")
    say(f"a search without --as asks as {said['user']}")
    say("next: `lockstep run`, and `lockstep search QUESTION` beside it")


def doctor(settings: SettingsFile = None, as_json: AsJson = False) -> None:
    """Look at everything and say what is not right.

    Settings, versions, connections, durability, model, sources, disk; each finding says what to do.
    """
    try:
        said = answer(settings, "doctor", {})
    except LockstepError as error:
        finding = {"part": "opening", "good": False, "says": str(error), "do": "mend this, then run doctor again"}
        said = {"findings": [finding]}
    show(said, as_json=as_json, lines=_findings)
    if not all(finding["good"] for finding in said["findings"]):
        raise typer.Exit(1)


def _findings(said: dict[str, Any]) -> None:
    for finding in said["findings"]:
        mark = "ok  " if finding["good"] else "BAD "
        say(f"{mark} {finding['part']}: {finding['says']}{'; ' + finding['do'] if finding['do'] else ''}")
