"""`da.source`: a network as the text of a standalone function, without torch and without deepalgo."""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

from deepalgo.backends.source.function import FunctionParameters, write_function
from deepalgo.backends.targets import SOURCE, SOURCE_COLUMNS, SOURCE_NUMBERS
from deepalgo.compiler import takes_network
from deepalgo.network import Network
from deepalgo.signature import Signature
from deepalgo.spans import FunctionSource, SourceUnavailable, read_function

STYLES = {"python": SOURCE, "numpy": SOURCE_COLUMNS, "numbers": SOURCE_NUMBERS}


@takes_network
def source(network: Network, style: str = "python") -> str:
    """The network as the text of a function that needs neither torch nor deepalgo.

    `style="python"` takes one sample and raises where the heuristic raises: plain Python with `math` where the heuristic works on single
    numbers, NumPy where it works on arrays. `style="numpy"` takes whole columns of single numbers, and gives NaN for samples on which
    the heuristic raises. `style="numbers"` takes one sample and writes small arrays out, number by number, for `numba.njit`; an array in
    the answer becomes a list. Arguments that were fixed when the heuristic was compiled are no parameters any more.
    """
    if style not in STYLES:
        raise ValueError(f"style must be 'python', 'numpy' or 'numbers', not {style!r}")
    weights = {key: _plain(network.weights[key].tolist()) for key in network.weights}
    parameters = _parameters(network)
    if style == "numbers":
        parameters = replace(parameters, defaults=())
    return write_function(network.program, weights, parameters, _docstring(network), STYLES[style])


def _plain(value: Any) -> Any:
    return tuple(map(_plain, value)) if isinstance(value, list) else value


def _parameters(network: Network) -> FunctionParameters:
    """The parameters that are inputs, in the order of the heuristic; then its float defaults."""
    live = dict.fromkeys(item.path.partition("[")[0] for item in network.program.inputs)
    signature = network.signature
    if not isinstance(signature, Signature):
        return FunctionParameters(tuple(live))
    stars = (signature.star, signature.double_star)
    order = tuple(name for name in signature.order if name in live)
    named = tuple(name for name in live if name not in order and name not in stars)
    star, double_star = (name if name in live else None for name in stars)
    defaults = _defaults(network)
    last = max((signature.order.index(name) for name in order), default=-1)
    if any(name in signature.order and signature.order.index(name) < last for name in defaults):
        defaults = ()  # another parameter would be taken for it
    return FunctionParameters(order, named, star, double_star, defaults, signature.numpy)


def _defaults(network: Network) -> tuple[str, ...]:
    """Weights that the heuristic has as defaults of its parameters, and that no static decision needs."""
    definition = _definition(network)
    if definition is None:
        return ()
    arguments = definition.node.args
    named = [*arguments.posonlyargs, *arguments.args]
    pairs = [
        *zip(named[len(named) - len(arguments.defaults) :], arguments.defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    spans = {name.arg: definition.span(default) for name, default in pairs if default is not None}
    return tuple(
        weight.key
        for weight in network.program.weights
        if not weight.frozen and not weight.shape and weight.key in spans and weight.span == spans[weight.key]
    )


def _definition(network: Network) -> FunctionSource | None:
    function = inspect.unwrap(network.function) if network.function is not None else None
    if not inspect.isfunction(function):
        return None
    try:
        return read_function(function)
    except SourceUnavailable:
        return None


def _docstring(network: Network) -> str:
    """The first sentence that the heuristic says about itself, or where it stands."""
    function = network.function
    while isinstance(function, functools.partial):
        function = function.func
    said = inspect.getdoc(function) if inspect.isroutine(function) else None
    paragraph = " ".join((said or "").partition("\n\n")[0].split())
    sentence, stop, _ = paragraph.partition(". ")
    if sentence:
        return "\n".join(textwrap.wrap(sentence + stop.strip(), 100))
    files = [Path(weight.span.file).name for weight in network.program.weights if weight.span is not None]
    return f"Made by deepalgo from {files[0]}." if files and re.fullmatch(r"[\w .<>#\[\]-]+", files[0]) else ""
