"""`deepalgo reproduce newton` and `deepalgo reproduce cluster`: the tables and figures of the paper, beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deepalgo.commands.needs import need_folder, need_package
from deepalgo.commands.target import told

reproduce = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Print the paper's tables beside ours, and draw its figures.")


@reproduce.callback()
def _group() -> None:
    """Print the paper's tables beside ours, and draw its figures."""


@reproduce.command()
def newton(
    folder: Annotated[Path, typer.Option(help="Where the figures go, and where an interrupted run goes on.")] = Path("reproduced"),
    seeds: Annotated[int, typer.Option(help="How many trainings of each network.")] = 5,
    steps: Annotated[int, typer.Option(help="Training steps.")] = 200,
    checked: Annotated[int, typer.Option(help="Systems of a task that are compared one by one, in range and as many out of it.")] = 100_000,
) -> None:
    """Train DeepNewton on the five tasks and print the paper's table beside ours: under ten minutes."""
    from deepalgo.studies.newton.reproduce import reproduce as lines  # the command line starts without the studies

    with told("reproduce newton"):
        need_package("pygraphviz", "the graph of Newton's method")
        need_folder(folder, "--folder")
    for line in lines(folder, seeds, steps, checked):
        print(line, flush=True)


@reproduce.command()
def cluster(
    folder: Annotated[Path, typer.Option(help="Where results go, and where an interrupted run goes on.")] = Path("reproduced/cluster"),
    data: Annotated[list[str] | None, typer.Option(help="mnist, fashion or stl10; can be given more than once.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small part of the data and one epoch: five minutes.")] = False,
) -> None:
    """Classify MNIST and Fashion-MNIST before and after training, and print the paper's matrices beside ours: under two hours."""
    from deepalgo.studies.cluster.reproduce import STUDIES  # the command line starts without the studies
    from deepalgo.studies.cluster.reproduce import reproduce as lines  # the command line starts without the studies

    names = tuple(data or ("mnist", "fashion"))
    unknown = [name for name in names if name not in STUDIES]
    if unknown:
        raise typer.BadParameter(f"there is no {unknown[0]}; there are {', '.join(STUDIES)}")
    with told("reproduce cluster"):
        need_folder(folder, "--folder")
        for name in names:
            STUDIES[name].load()  # data that is missing, or cannot be fetched, is noticed before an hour of training
    for line in lines(folder, names, quick):
        print(line, flush=True)
