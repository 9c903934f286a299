"""`make fuzz`: send requests that nobody wrote, and print how many were understood and accepted."""

import logging
import random
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from tests.fuzz.run import run


def main(
    cases: Annotated[int, typer.Option(help="How many requests.", min=1)] = 10_000,
    seed: Annotated[int | None, typer.Option(help="Repeats a run; without it, one is drawn and printed.")] = None,
) -> None:
    """Draw requests from the OpenAPI documents of all API versions, and judge every reply."""
    number = random.randrange(1_000_000) if seed is None else seed  # noqa: S311 - for repeatable runs
    # The frontend logs each of them.
    logging.disable()
    console = Console()
    console.print(f"{cases} requests, seed {number} (repeat with --seed {number})")
    with Progress(BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=console) as progress:
        task = progress.add_task("requests", total=cases)
        figures = run(cases, number, lambda: progress.advance(task))
    for line in figures.lines():
        console.print(line, highlight=False, soft_wrap=True)


if __name__ == "__main__":
    typer.run(main)
