"""`ufunc.reduce`, `accumulate` and `outer`, by the functions that do the same."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from deepalgo.stage.rules.numpy.layout import reshape
from deepalgo.stage.rules.registry import HANDLERS, Args, Handler, Kwargs, handles
from deepalgo.stage.state.array_conversion import call_numpy, is_plain, new_array, plain, shape, to_signal
from deepalgo.stage.state.machine import Machine

REDUCTIONS: dict[np.ufunc, Any] = {
    np.add: np.sum, np.multiply: np.prod, np.minimum: np.min, np.maximum: np.max, np.logical_and: np.all, np.logical_or: np.any,
}
TRUTHS = (np.logical_and, np.logical_or)
RUNNING: dict[np.ufunc, Any] = {np.add: np.cumsum, np.multiply: np.cumprod}
OUTER = (np.add, np.subtract, np.multiply, np.divide, np.minimum, np.maximum, np.power, np.hypot, np.arctan2, np.less, np.greater)


def _along(function: Any) -> Handler:
    """The same along the first axis, unless another is named."""

    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        return HANDLERS[function](machine, args, {"axis": 0, **kwargs}, node)

    return handler


def _outer(ufunc: np.ufunc) -> Handler:
    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        left, right = args
        spread = reshape(machine, left, (*shape(machine, left), *(1 for _ in shape(machine, right))), node)
        return HANDLERS[ufunc](machine, [spread, right], kwargs, node)

    return handler


def _running(ufunc: np.ufunc) -> Handler:
    """One row after the other, along the first axis unless another is named."""

    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        if is_plain(machine, args[0]):
            return call_numpy(machine, ufunc.accumulate, *[plain(machine, item) for item in args], **kwargs)
        axis = kwargs.get("axis", 0)
        rows = machine.iterate(HANDLERS[np.moveaxis](machine, [new_array(machine, to_signal(machine, args[0])), axis, 0], {}, node), node)
        for place in range(1, len(rows)):
            rows[place] = HANDLERS[ufunc](machine, [rows[place - 1], rows[place]], {}, node)
        return HANDLERS[np.stack](machine, [rows], {"axis": axis}, node)

    return handler


for _ufunc, _function in REDUCTIONS.items():
    handles(_ufunc.reduce, options="axis keepdims initial where" if _ufunc not in TRUTHS else "axis keepdims where")(_along(_function))
for _ufunc, _function in RUNNING.items():
    handles(_ufunc.accumulate, options="axis")(_along(_function))
for _ufunc in (np.maximum, np.minimum, np.fmax, np.fmin):
    handles(_ufunc.accumulate, options="axis")(_running(_ufunc))
for _ufunc in OUTER:
    handles(_ufunc.outer, options="")(_outer(_ufunc))


@handles(np.diagflat, options="k")
def _diagflat(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return HANDLERS[np.diag](machine, [HANDLERS[np.ravel](machine, args[:1], {}, node)], kwargs, node)


@handles(np.vander, options="N increasing")
def _vander(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """Powers by repeated products, as NumPy computes them."""
    value = args[0]
    count = kwargs["N"] if kwargs.get("N") is not None else shape(machine, value)[0]
    ones = HANDLERS[np.ones_like](machine, [value], {}, node)
    columns: list[Any] = [ones]
    for _ in range(count - 1):
        columns.append(HANDLERS[np.multiply](machine, [columns[-1], value], {}, node))
    rising = kwargs.get("increasing", False)
    return HANDLERS[np.stack](machine, [columns[:count] if rising else columns[:count][::-1]], {"axis": 1}, node)
