"""What each kind of change costs, counted in the stores; `tests/integration/test_least_work.py` holds these figures."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.figures import Figure
from bench.installation import scratch
from tests.integration.least_work import CHANGES, SECTIONS, Work, measure

_STORES = ("catalog", "lexical", "vector")


def run(progress: Progress) -> Sequence[Figure]:
    """Every change once, on the embedded stores with the stand-in model."""
    task = progress.add_task("changing", total=len(CHANGES))
    with scratch() as folder:
        costs = measure(folder, lambda _: progress.advance(task))
    return [figure for name, cost in costs.items() for figure in _figures(name, cost, CHANGES[name][1])]


def show(console: Console, name: str, figures: Sequence[Figure]) -> None:
    """A row a change: texts embedded, and what was + added, ~ patched and - closed or deleted in each store."""
    rows: dict[str, dict[str, dict[str, Figure]]] = defaultdict(lambda: defaultdict(dict))
    for figure in figures:
        change, _, counted = figure.name.partition(": ")
        store, _, what = counted.rpartition(" ")
        rows[change][store][what] = figure
    title = f"{name} (documents of {SECTIONS} chunks)"
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    for column in ("change", "texts", *_STORES, ""):
        table.add_column(column, justify="left" if column in {"change", ""} else "right", no_wrap=True)
    for change, stores in rows.items():
        least = all(figure.met for counted in stores.values() for figure in counted.values())
        cells = [_cell(stores[store]) for store in ("texts", *_STORES)]
        table.add_row(change, *cells, "" if least else "[bold]MORE[/bold]")
    console.print(table)


def _cell(counted: Mapping[str, Figure]) -> str:
    signs = {"embedded": "", "added": "+", "patched": "~", "closed": "-", "deleted": "-"}
    return " ".join(f"{signs[what]}{figure.value:g}" for what, figure in counted.items() if figure.value) or "0"


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
