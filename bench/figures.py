"""What a benchmark found, and how it is shown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.progress import Progress
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Figure:
    """One number. Figures without a limit explain the ones that have one."""

    name: str
    value: float
    unit: str
    at_most: float | None = None
    at_least: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether it keeps its limit; None without one."""
        if self.at_most is not None:
            return self.value <= self.at_most
        if self.at_least is not None:
            return self.value >= self.at_least
        return None

    @property
    def limit(self) -> str:
        """The limit as people read it."""
        if self.at_most is not None:
            return f"≤ {self.at_most:,g}"
        return f"≥ {self.at_least:,g}" if self.at_least is not None else ""


Benchmark = Callable[[Progress], Sequence[Figure]]


def show(console: Console, name: str, figures: Sequence[Figure]) -> None:
    """One benchmark as a table."""
    table = Table(title=name, title_justify="left", title_style="bold", min_width=72)
    for column in ("figure", "value", "unit", "target", ""):
        table.add_column(column, justify="right" if column in {"value", "target"} else "left")
    for figure in figures:
        verdict = {None: "", True: "met", False: "[bold]MISSED[/bold]"}[figure.met]
        table.add_row(figure.name, readable(figure.value), figure.unit, figure.limit, verdict)
    console.print(table)


def readable(value: float) -> str:
    """Three digits that count."""
    if value == int(value) or abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3g}"


def as_json(results: Mapping[str, Sequence[Figure]]) -> dict[str, list[dict[str, object]]]:
    """All of it for programs."""
    return {name: [{**asdict(figure), "met": figure.met} for figure in figures] for name, figures in results.items()}


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
