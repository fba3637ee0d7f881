"""`draw`: the signal-flow graph of a network as an SVG or PNG file."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from deepalgo.drawing.flow import flow
from deepalgo.drawing.layout import lay_out
from deepalgo.drawing.svg import ROLES, paint
from deepalgo.errors import InputError
from deepalgo.files import replace_file
from deepalgo.ir import walk

if TYPE_CHECKING:
    from deepalgo.network import Network

#: Pixels of a PNG for each point of the figure.
SHARPNESS = 2
#: A notebook does not draw larger programs of itself.
MOST_STATEMENTS = 3000


def draw(network: Network, path: str | Path, *, unroll: bool = False) -> None:
    """Draw the signal-flow graph of a network into an `.svg` or `.png` file.

    Loops and branches are nested boxes; weights stand in the formulas, coloured by role. `unroll=True` draws every round of
    a loop with a fixed count.
    """
    if not hasattr(network, "program"):
        raise InputError("draw takes a network: da.draw(da.compile(function), path)")
    kind = Path(path).suffix.lower()
    if kind not in (".svg", ".png"):
        raise InputError(f"draw writes .svg and .png files, not {Path(path).name!r}")
    text = svg_of(network, unroll=unroll)
    replace_file(Path(path), text.encode() if kind == ".svg" else png_of(text))


def svg_of(network: Network, *, unroll: bool = False) -> str:
    """The figure as the text of an SVG file."""
    program = network.program
    values = {weight.key: network.weights[weight.key].detach().cpu() for weight in program.weights}
    laid = lay_out(flow(program, values, unroll))
    found = {"frozen" if weight.frozen else weight.role.value for weight in program.weights}
    return paint(laid, program.name, [role for role in ROLES if role in found])


def figure(network: Network) -> str | None:
    """The figure for a notebook; None where there is no layout engine, or too much to see."""
    if importlib.util.find_spec("pygraphviz") is None or sum(1 for _ in walk(network.program.body)) > MOST_STATEMENTS:
        return None
    return svg_of(network)


def png_of(text: str) -> bytes:
    """An SVG as pixels."""
    try:
        import resvg_py
    except ImportError:
        raise InputError("PNG files need a renderer: pip install 'deepalgo[draw]'") from None
    return bytes(resvg_py.svg_to_bytes(svg_string=text, zoom=SHARPNESS))
