"""The command line: `deepalgo check heat.py:loss` says whether a function compiles, and what of it can be trained.

Exit code 0: done. 1: the function or the data are refused, with the reason and a way out on standard error. 2: the command itself
is wrong.
"""

from __future__ import annotations

from typing import Annotated

import typer

import deepalgo
from deepalgo.commands.check import check
from deepalgo.commands.draw import draw
from deepalgo.commands.reproduce import reproduce
from deepalgo.commands.source import source
from deepalgo.commands.tune import tune

EXAMPLES = """
Examples:

  deepalgo check pipes.py:friction

  deepalgo tune pipes.py:friction --data pipes.csv --target f --loss relative --write

  deepalgo draw pipes.py:friction --output friction.svg

  deepalgo source pipes.py:friction

  deepalgo reproduce newton
"""

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)


def main() -> None:
    """Run the command line."""
    app()


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"deepalgo {deepalgo.__version__}")
        raise typer.Exit


@app.callback(epilog=EXAMPLES)
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")] = False,
) -> None:
    """Compile a Python heuristic, unchanged, into a trainable torch network with exactly its answers, and tune it on data."""


for command in (check, tune, draw, source):
    app.command()(command)
app.add_typer(reproduce, name="reproduce")
