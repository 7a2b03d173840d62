"""`lockstep`: the commands, and what their exit codes mean.

Exit codes: 0 done; 1 something failed and trying again changes nothing; 2 wrong usage; 3 refused as asked (settings,
unknown names, another process holds the data folder); 4 a part does not answer now, try again; 5 the audit found
something.
"""

import sys

import typer

from ingest.errors import LockstepError, Refused, Transient
from worker.cli import documents, indexing, setup, sources, upkeep
from worker.cli.output import problem

app = typer.Typer(
    name="lockstep",
    help="Keeps a word index and a vector index in lockstep with documents and with who may read them.",
    epilog="Exit codes: 0 done, 1 failed, 2 usage, 3 refused, 4 try again later, 5 the audit is not clean.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # half of the time that `--help` took
)
for group in (setup, indexing, documents, upkeep):
    group.register(app)
app.add_typer(sources.app, name="source")


def main() -> None:
    """The entry point: errors are one line on standard error."""
    try:
        app()
    except Refused as error:
        code = problem(error, 3)
    except Transient as error:
        code = problem(error, 4)
    except (LockstepError, OSError) as error:
        code = problem(error, 1)
    sys.exit(code)


if __name__ == "__main__":
    main()
