"""`python -m bench [NAME …]`: tables on standard error, all figures as JSON on standard output."""

import argparse
import json
import sys
from importlib import import_module

from rich.console import Console
from rich.progress import Progress

from bench.figures import Benchmark, Figure, as_json, show

NAMES = ("least_work", "noop_scan", "throughput", "save", "edit_cost", "memory")


def main() -> None:
    """Run the benchmarks named, or all. Missing a target is reported and is no error: machines differ."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("name", nargs="*", choices=[*NAMES, []], help="which to run; none = all", metavar="NAME")
    chosen: list[str] = parser.parse_args().name or list(NAMES)
    console = Console(stderr=True)
    results: dict[str, list[Figure]] = {}
    for name in chosen:
        module = import_module(f"bench.{name}")
        benchmark: Benchmark = module.run
        with Progress(console=console, transient=True) as progress:
            results[name] = list(benchmark(progress))
        getattr(module, "show", show)(console, name, results[name])
    json.dump(as_json(results), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
