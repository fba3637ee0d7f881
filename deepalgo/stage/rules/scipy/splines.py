"""Splines as FITPACK evaluates them: de Boor's recurrence on the interval that holds the point (Dierckx 1993, routine fpbspl)."""

from __future__ import annotations

import ast
from typing import Any

from deepalgo.ir import Kind, Type
from deepalgo.stage.rules.numpy.elementwise import emit
from deepalgo.stage.state.array_conversion import new_array, to_signal
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import Signal


def basis(machine: Machine, knots: Signal, degree: int, point: Signal) -> tuple[Signal, list[Signal]]:
    """The interval of a point and the values of the `degree + 1` splines that do not vanish on it."""
    last = knots.shape[0] - degree - 2
    found = emit(machine, "sub", emit(machine, "searchsorted", knots, point, side="right"), 1)
    interval = emit(machine, "minimum", emit(machine, "maximum", found, degree), last)
    values: list[Any] = [1.0]
    for order in range(1, degree + 1):
        before, values = values, [0.0] * (order + 1)
        for place in range(1, order + 1):
            right = _knot(machine, knots, interval, place)
            left = _knot(machine, knots, interval, place - order)
            gap = emit(machine, "sub", right, left)
            flat = emit(machine, "eq", gap, 0.0)
            share = emit(machine, "select", flat, 0.0, emit(machine, "div", before[place - 1], emit(machine, "select", flat, 1.0, gap)))
            values[place - 1] = emit(machine, "add", values[place - 1], emit(machine, "mul", share, emit(machine, "sub", right, point)))
            values[place] = emit(machine, "mul", share, emit(machine, "sub", point, left))
    return interval, values


def _knot(machine: Machine, knots: Signal, interval: Signal, offset: int) -> Signal:
    return emit(machine, "pick_at", knots, emit(machine, "add", interval, offset), axis=0)


def _real(machine: Machine, value: Any) -> Signal:
    signal = to_signal(machine, value)
    return machine.cast(signal, Type(Kind.REAL, signal.shape))


def splev(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """`dfitpack.splev(t, c, k, x, ext)`: the values and an error code of zero."""
    knots, coefficients, degree, points, outside = (*args, 0)[:5]
    if outside not in (0, 3):
        machine.refuse("a spline that is cut off outside of its range has no rule", "Use ext=0 or ext=3.", node)
    t, x = _real(machine, knots), _real(machine, points)
    if outside == 3:
        x = _within(machine, t, degree, x)
    interval, values = basis(machine, t, degree, x)
    total: Any = 0.0
    for place, value in enumerate(values):
        weight = emit(machine, "pick_at", _real(machine, coefficients), emit(machine, "add", interval, place - degree), axis=0)
        total = emit(machine, "add", total, emit(machine, "mul", weight, value))
    return new_array(machine, total), 0


def _within(machine: Machine, knots: Signal, degree: int, point: Signal) -> Signal:
    low = machine.emit("index", knots, key=(degree,))
    high = machine.emit("index", knots, key=(knots.shape[0] - degree - 1,))
    return emit(machine, "minimum", emit(machine, "maximum", point, low), high)


def bispev(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """`dfitpack.bispev(tx, ty, c, kx, ky, x, y)`: the values on the grid of all x and y, which are brought into range."""
    tx, ty, c, kx, ky, x, y = args
    knots = [_real(machine, tx), _real(machine, ty)]
    points = [_within(machine, t, k, _real(machine, p)) for t, k, p in zip(knots, (kx, ky), (x, y), strict=True)]
    rows, columns = points[0].shape[0], points[1].shape[0]
    (i, u), (j, v) = (basis(machine, t, k, p) for t, k, p in zip(knots, (kx, ky), points, strict=True))
    width = knots[1].shape[0] - ky - 1
    total: Any = 0.0
    for a, first in enumerate(u):
        for b, second in enumerate(v):
            row = emit(machine, "mul", emit(machine, "add", i, a - kx), width)
            place = emit(machine, "add", _column(machine, row, rows), emit(machine, "add", j, b - ky))
            flat = emit(machine, "reshape", place, shape=(rows * columns,))
            weight = emit(machine, "reshape", emit(machine, "pick_at", _real(machine, c), flat, axis=0), shape=(rows, columns))
            total = emit(machine, "add", total, emit(machine, "mul", weight, emit(machine, "mul", _column(machine, first, rows), second)))
    return new_array(machine, total), 0


def _column(machine: Machine, value: Signal, rows: int) -> Signal:
    return emit(machine, "reshape", value, shape=(rows, 1))
