"""`np.bincount`: how often each whole number occurs, or what the weights of those that are equal add up to.

The answer has a place for every number up to the largest. Where data decides that one, the program says with `minlength` how many
places there are, and the network stops at a larger number.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from deepalgo.ir import Kind, Type
from deepalgo.stage.rules.gate import MASKED
from deepalgo.stage.rules.numpy.elementwise import emit
from deepalgo.stage.rules.numpy.reductions import reduce
from deepalgo.stage.rules.registry import Args, Kwargs, handles
from deepalgo.stage.state.array_conversion import box, call_numpy, is_plain, plain, to_signal, wrap
from deepalgo.stage.state.arrays import DTYPES
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.masked_arrays import Masked, same_computation
from deepalgo.stage.state.values import Signal, UserRaise


@handles(np.bincount, options="weights minlength")
def _bincount(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if is_plain(machine, args[0]) and is_plain(machine, kwargs.get("weights")) and not isinstance(kwargs.get("minlength"), Signal):
        return call_numpy(machine, np.bincount, plain(machine, args[0]), **{name: plain(machine, item) for name, item in kwargs.items()})
    weights, least = kwargs.get("weights"), machine.demand(kwargs.get("minlength", 0), "the length of an array is needed at compile time")
    whole = to_signal(machine, args[0])
    held = None if weights is None else to_signal(machine, weights)
    empty = _answer_for_zeros(machine, whole, held, least)
    known = plain(machine, args[0])
    if not whole.shape[0]:
        return box(machine, empty)
    if known is not None:
        known = np.asarray(known)
        if known.min() < 0:
            raise UserRaise(ValueError, "'list' argument must have no negative elements", machine.span)
        least = max(int(least), int(known.max()) + 1)
    return _counted(machine, whole, held, None, int(least), known is not None, node)


def _masked(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
    """The same for numbers that a mask keeps; what it drops does not count."""
    value, weights, least = given["x"], given.get("weights"), given.get("minlength", 0)
    if not isinstance(value, Masked) or value.signal.shape != value.mask.shape or len(value.mask.shape) != 1 or isinstance(least, Signal):
        return None
    if weights is not None and not (isinstance(weights, Masked) and same_computation(machine, weights.mask, value.mask)):
        return None
    held = None if weights is None else weights.signal
    _answer_for_zeros(machine, value.signal, held, least)
    return _counted(machine, value.signal, held, value.mask, int(least), False, node)


MASKED[np.bincount] = _masked


def _answer_for_zeros(machine: Machine, whole: Signal, weights: Signal | None, least: Any) -> Any:
    """What NumPy answers to zeros of these shapes and kinds, or what it raises for any numbers of them."""
    held = None if weights is None else np.zeros(weights.shape, DTYPES[weights.kind])
    try:
        return np.bincount(np.zeros(whole.shape, DTYPES[whole.kind]), held, least)
    except (TypeError, ValueError) as error:
        raise UserRaise(error, None, machine.span) from None


def _counted(
    machine: Machine, whole: Signal, weights: Signal | None, mask: Signal | None, length: int, fits: bool, node: ast.AST
) -> Any:
    whole = machine.cast(whole, Type(Kind.INT, whole.shape))
    counts = whole if mask is None else emit(machine, "select", mask, whole, 0)
    if not fits:
        if not length:
            machine.refuse(
                "the length of what `np.bincount` answers depends on data", "Say how many numbers there are: minlength=10.", node
            )
        machine.check(emit(machine, "ge", counts, 0), ValueError, "'list' argument must have no negative elements")
        machine.check(emit(machine, "lt", counts, length), "LongerArray", f"an array of more than {length} counts")
    column = machine.emit("reshape", whole, shape=(whole.shape[0], 1), flavour="np")
    equal = emit(machine, "eq", column, machine.constant_array(np.arange(length)))
    if mask is not None:
        equal = emit(machine, "and", equal, machine.emit("reshape", mask, shape=(mask.shape[0], 1), flavour="np"))
    if weights is None:
        return wrap(machine, reduce(machine, "sum", machine.cast(equal, Type(Kind.INT, equal.shape)), 0, False))
    real = machine.cast(weights, Type(Kind.REAL, weights.shape))
    spread = emit(machine, "select", equal, machine.emit("reshape", real, shape=(real.shape[0], 1), flavour="np"), 0.0)
    return wrap(machine, emit(machine, "add", reduce(machine, "sum", spread, 0, False), 0.0))  # a sum that starts with 0.0 is never -0.0
