"""A progress line for long work, on standard error, and only on a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from worker.cli.output import console

if TYPE_CHECKING:
    from ingest.indexing.pipeline import Drained  # `--help` need not wait for the stores


@contextmanager
def progress_bar() -> Iterator[Callable[["Drained"], None]]:
    """Call what it gives with what has been done so far."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    err = console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("looking for changes")

        def tell(done: "Drained") -> None:
            bar.update(task, description=f"{done.documents} documents, {done.embedded} texts embedded")

        yield tell
