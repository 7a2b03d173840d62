"""What each kind of change costs, counted in the stores; `tests/integration/test_least_work.py` holds these figures."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.figures import Figure, readable
from bench.installation import scratch
from tests.integration.least_work import CHANGES, Work, measure


def run(progress: Progress) -> Sequence[Figure]:
    """Every change once, on the embedded stores with the stand-in model."""
    task = progress.add_task("changing", total=len(CHANGES))
    with scratch() as folder:
        costs = measure(folder, lambda _: progress.advance(task))
    return [figure for name, cost in costs.items() for figure in _figures(name, cost, CHANGES[name][1])]


def show(console: Console, name: str, figures: Sequence[Figure]) -> None:
    """A row a change."""
    rows: dict[str, list[Figure]] = defaultdict(list)
    for figure in figures:
        rows[figure.name.partition(": ")[0]].append(figure)
    table = Table(title=f"{name}: documents of 4 chunks", title_justify="left", title_style="bold")
    table.add_column("change")
    for figure in next(iter(rows.values())):
        table.add_column(figure.name.partition(": ")[2].replace(" ", "\n", 1), justify="right")
    table.add_column("")
    for change, costs in rows.items():
        least = all(figure.met for figure in costs)
        table.add_row(change, *(readable(figure.value) for figure in costs), "least" if least else "[bold]MORE[/bold]")
    console.print(table)


def _figures(change: str, cost: Work, least: Work) -> Iterator[Figure]:
    yield Figure(f"{change}: texts embedded", cost.embedded, "texts", at_most=least.embedded)
    yield Figure(f"{change}: catalog added", cost.catalog.added, "records", at_most=least.catalog.added)
    yield Figure(f"{change}: catalog closed", cost.catalog.deleted, "records", at_most=least.catalog.deleted)
    for store, did, wanted in (
        ("lexical", cost.lexical, least.lexical),
        ("vector", cost.vector, least.vector),
    ):
        yield Figure(f"{change}: {store} added", did.added, "records", at_most=wanted.added)
        yield Figure(f"{change}: {store} patched", did.patched, "records", at_most=wanted.patched)
        yield Figure(f"{change}: {store} deleted", did.deleted, "records", at_most=wanted.deleted)
