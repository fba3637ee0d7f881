"""`deepalgo draw`: the signal-flow graph of a function as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import deepalgo
from deepalgo.commands.needs import need_picture
from deepalgo.commands.target import Example, Target, load_function, parse_example, told


def draw(
    target: Target,
    output: Annotated[Path, typer.Option("--output", "-o", help="The .svg or .png file to write.")] = Path("network.svg"),
    unroll: Annotated[bool, typer.Option("--unroll", help="Draw every round of a loop with a fixed count.")] = False,
    example: Example = "",
) -> None:
    """Draw the signal-flow graph of a function.

    Example: deepalgo draw heat.py:loss --output loss.svg
    """
    with told("draw"):
        need_picture(output, "--output")
        function, call = load_function(target), parse_example(example)
        deepalgo.draw(deepalgo.compile(function, example=call), output, unroll=unroll)
    print(f"wrote {output}")
