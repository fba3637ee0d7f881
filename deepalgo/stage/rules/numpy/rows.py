"""What NumPy's functions do with the rows that a mask on data keeps, where they treat every row on its own.

All rows are computed, and the mask stays: `norm(table[mask], axis=1)` is `norm(table, axis=1)[mask]`.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from deepalgo.ir import Kind
from deepalgo.stage.rules.gate import MASKED, rule_of
from deepalgo.stage.rules.numpy.masked import rank  # its rules come first
from deepalgo.stage.rules.signatures import Bound, signature_of
from deepalgo.stage.state.array_conversion import is_array, shape, to_signal, wrap
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.masked_arrays import Masked, same_computation
from deepalgo.stage.state.masked_arrays import kept as new
from deepalgo.stage.state.values import DataLength, Signal

#: Functions that treat every number on its own.
BY_NUMBER = (
    np.isclose, np.where, np.clip, np.round, np.around, np.nan_to_num, np.sinc, np.heaviside, np.real, np.imag, np.angle, np.signbit,
)
#: Functions along one axis, or several, that is given to them; with the axis that they take if it is not.
BY_AXIS: dict[Any, Any] = {
    **dict.fromkeys((np.sum, np.prod, np.min, np.max, np.amin, np.amax, np.any, np.all, np.mean, np.var, np.std, np.argmin, np.argmax)),
    **dict.fromkeys((np.linalg.norm, np.median, np.ptp, np.cumsum, np.cumprod, np.count_nonzero)), np.sort: -1, np.argsort: -1, np.diff: -1,
}


def _alike(machine: Machine, given: dict[str, Any]) -> list[Masked] | None:
    """The arguments that a mask keeps rows of, if it is one mask and they have equally many axes."""
    kept = [item for item in given.values() if isinstance(item, Masked)]
    if len(kept) != sum(isinstance(item, DataLength) for item in given.values()) or len({rank(item) for item in kept}) != 1:
        return None
    return kept if all(same_computation(machine, item.mask, kept[0].mask) for item in kept) else None


def _applied(machine: Machine, function: Any, given: dict[str, Any], kept: Masked, node: ast.AST) -> Masked:
    signature = signature_of(function)
    assert signature is not None
    args, kwargs = Bound(given, [], {}).arguments(signature)
    return new(machine, to_signal(machine, rule_of(function)(machine, args, kwargs, node)), kept.mask)


def _whole(machine: Machine, value: Any) -> Any:
    return wrap(machine, value.signal) if isinstance(value, Masked) else value


def _by_number(function: Any) -> Any:
    def rule(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
        kept = _alike(machine, given)
        if kept is None or (function is np.where and len(given) != 3):
            return None
        whole = {name: _beside(machine, item, rank(kept[0]), node) for name, item in given.items()}
        return None if any(item is NotImplemented for item in whole.values()) else _applied(machine, function, whole, kept[0], node)

    return rule


def _beside(machine: Machine, value: Any, axes: int, node: ast.AST) -> Any:
    """An argument for all rows; NotImplemented if it has a number of rows of its own."""
    if isinstance(value, Masked) or not (is_array(value) or isinstance(value, (Signal, list, tuple))):
        return _whole(machine, value)
    size = shape(machine, value)
    if len(size) < axes:
        return value
    return rule_of(np.reshape)(machine, [value, size[1:]], {}, node) if len(size) == axes and size[0] == 1 else NotImplemented


def _by_axis(function: Any, default: Any) -> Any:
    def rule(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
        first, *others = given.values()
        if not isinstance(first, Masked) or any(isinstance(item, DataLength) for item in others) or {"where", "initial"} & set(given):
            return None
        axis = _from_the_end(given.get("axis", default), rank(first))
        if axis is None:
            return None
        name, *_ = given
        return _applied(machine, function, {**given, name: _whole(machine, first), "axis": axis}, first, node)

    return rule


def _from_the_end(axis: Any, axes: int) -> Any:
    """An axis behind the first one, counted from the end; None for any other."""
    if isinstance(axis, tuple):
        found = tuple(_from_the_end(item, axes) for item in axis)
        return None if None in found else found
    if not isinstance(axis, int) or isinstance(axis, bool) or not -axes < axis < axes or axis == 0:
        return None
    return axis if axis < 0 else axis - axes


def _product(function: Any) -> Any:
    """Rows times a matrix, or times a vector."""

    def rule(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
        (first, left), (second, right), *others = given.items()
        if others or not isinstance(left, Masked) or rank(left) != 2 or isinstance(right, DataLength):
            return None
        if len(shape(machine, right)) not in (1, 2):
            return None
        return _applied(machine, function, {first: _whole(machine, left), second: right}, left, node)

    return rule


def _cross(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
    kept = _alike(machine, given)
    if kept is None or set(given) - {"a", "b"} or rank(kept[0]) < 2:
        return None
    return _by_number(np.cross)(machine, given, node)


def _first_of(rules: list[Any]) -> Any:
    """The answer of the first rule that has one."""

    def rule(machine: Machine, given: dict[str, Any], node: ast.AST) -> Any:
        return next((found for found in (each(machine, dict(given), node) for each in rules) if found is not None), None)

    return rule


for _functions in (
    {function: _by_number(function) for function in BY_NUMBER},
    {function: _by_axis(function, axis) for function, axis in BY_AXIS.items()},
    {np.dot: _product(np.dot), np.matmul: _product(np.matmul), np.cross: _cross},
):
    for _function, _rule in _functions.items():
        MASKED[_function] = _first_of([MASKED[_function], _rule]) if _function in MASKED else _rule


def made(machine: Machine, size: Any, fill: float) -> Masked | None:
    """An array with as many rows as a mask holds places, if the first number of its shape counts those."""
    rows, *behind = size if isinstance(size, (tuple, list)) else (size,)
    mask = _counted(machine, rows) if isinstance(rows, Signal) else None
    if mask is None or not all(type(item) is int for item in behind):
        return None
    return new(machine, machine.constant_array(np.full((*mask.shape, *behind), fill)), mask)


def _counted(machine: Machine, number: Signal) -> Signal | None:
    """The mask whose places a number counts."""
    found = machine.definition(number)
    if found is not None and found.name == "sum" and found.attr("axis") is None:
        value = found.args[0]
        found = None if value.type.kind is Kind.BOOL else machine.definition(Signal(value, "np"))
        if found is None:
            return Signal(value, "np") if value.type.kind is Kind.BOOL else None
    if found is None or found.name != "to_int" or found.args[0].type.kind is not Kind.BOOL:
        return None
    return Signal(found.args[0], "np")
