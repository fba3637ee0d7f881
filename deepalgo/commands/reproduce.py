"""`deepalgo reproduce newton`: the tables and figures of the paper, beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

reproduce = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Print the paper's tables beside ours, and draw its figures.")


@reproduce.callback()
def _group() -> None:
    """Print the paper's tables beside ours, and draw its figures."""


@reproduce.command()
def newton(
    folder: Annotated[Path, typer.Option(help="Where the figures go.")] = Path("reproduced"),
    seeds: Annotated[int, typer.Option(help="How many trainings of each network.")] = 5,
    steps: Annotated[int, typer.Option(help="Training steps.")] = 200,
    checked: Annotated[int, typer.Option(help="Systems of a task that are compared one by one, in range and as many out of it.")] = 100_000,
) -> None:
    """Train DeepNewton on the five tasks and print the paper's table beside ours: under ten minutes."""
    from deepalgo.newton.reproduce import reproduce as lines

    for line in lines(folder, seeds, steps, checked):
        print(line, flush=True)
