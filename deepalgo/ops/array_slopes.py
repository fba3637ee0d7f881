"""What formulas of slopes may call of arrays: products of all numbers but one, cofactors, and the segments of a table.

They make operations as a formula does, by its writer, of the syntax trees of their operands.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: The number of minors grows with the square of the size, and their cost with its cube.
LARGEST_MINORS = 6


class TooLargeError(Exception):
    """A formula that would take too many operations."""


@dataclass(frozen=True, slots=True)
class NumberLines:
    """An array with the axis to work along; without one all its numbers stand in one line."""

    writer: Any
    value: Any
    axis: int

    @classmethod
    def of(cls, writer: Any, value: Any, axis: int | None) -> NumberLines:
        """The value along an axis."""
        shape = writer.maker.type(value).shape
        if axis is None:
            return cls(writer, writer.make("reshape", value, shape=(math.prod(shape),)), 0)
        return cls(writer, value, axis % len(shape))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        found: tuple[int, ...] = self.writer.maker.type(self.value).shape
        return found

    def part(self, start: int | None, stop: int | None, step: int | None = None) -> Any:
        """A part of each line."""
        key = (*[("slice", None, None, None)] * self.axis, ("slice", start, stop, step))
        return self.writer.make("take", self.value, key=key)

    def before(self) -> Any:
        """The products of all numbers that stand before each."""
        size = list(self.shape)
        size[self.axis] = 1
        one = self.writer.make("broadcast", self.writer.maker.const(1.0), shape=tuple(size))
        return self.writer.make("cumprod", self.writer.make("concat", one, self.part(None, -1), axis=self.axis), axis=self.axis)

    def turned(self) -> NumberLines:
        """The lines backwards."""
        return NumberLines(self.writer, self.part(None, None, -1), self.axis)


def before(writer: Any, array: ast.expr, axis: ast.expr) -> Any:
    """Products of all numbers before each along an axis, in the shape of the array."""
    value = writer.value(array)
    lines = NumberLines.of(writer, value, writer.static(axis))
    return writer.make("reshape", lines.before(), shape=writer.maker.type(value).shape) if math.prod(lines.shape) else value


def others(writer: Any, array: ast.expr, axis: ast.expr) -> Any:
    """Products of all other numbers along an axis, in the shape of the array."""
    value = writer.value(array)
    lines = NumberLines.of(writer, value, writer.static(axis))
    if not math.prod(lines.shape):
        return value
    after = NumberLines(writer, lines.turned().before(), lines.axis).turned().value
    return writer.make("reshape", writer.make("mul", lines.before(), after), shape=writer.maker.type(value).shape)


def running(writer: Any, g: ast.expr, array: ast.expr, axis: ast.expr) -> Any:
    """At each place the adjoints from there on, each times the numbers on the way to it."""
    value, along = writer.value(array), writer.static(axis)
    lines, adjoint = NumberLines.of(writer, value, along), NumberLines.of(writer, writer.value(g), along)
    size = lines.shape[lines.axis]
    if not math.prod(lines.shape):
        return value
    parts = [adjoint.part(size - 1, size)]
    for place in range(size - 1, 0, -1):
        parts.append(writer.make("add", adjoint.part(place - 1, place), writer.make("mul", lines.part(place, place + 1), parts[-1])))
    whole = writer.make("concat", *reversed(parts), axis=lines.axis)
    return writer.make("reshape", whole, shape=writer.maker.type(value).shape)


def cofactors(writer: Any, array: ast.expr) -> Any:
    """The determinants of what is left of square matrices without a row and a column, with alternating signs."""
    value = writer.value(array)
    *front, size, _ = writer.maker.type(value).shape
    if size > LARGEST_MINORS:
        raise TooLargeError(f"the minors of a matrix of {size} rows")
    if size <= 1:
        return writer.make("broadcast", writer.maker.const(1.0), shape=(*front, size, size))
    rows = [tuple(place for place in range(size) if place != gone) for gone in range(size)]
    found = [_minor(writer, value, (rows[i], rows[j]), (i + j) % 2 == 1, len(front)) for i in range(size) for j in range(size)]
    lifted = [writer.make("reshape", item, shape=(*front, 1)) for item in found]
    return writer.make("reshape", writer.make("concat", *lifted, axis=len(front)), shape=(*front, size, size))


def _minor(writer: Any, value: Any, left: tuple[tuple[int, ...], tuple[int, ...]], negative: bool, front: int) -> Any:
    part = writer.make("pick", writer.make("pick", value, indices=left[0], axis=front), indices=left[1], axis=front + 1)
    found = writer.make("reshape", part, shape=writer.maker.type(part).shape[:-2]) if len(left[0]) == 1 else writer.make("det", part)
    return writer.make("neg", found) if negative else found


@dataclass(frozen=True, slots=True)
class Segments:
    """For each number x the segment of the table that it falls into, and where in it; at a knot the one to the right."""

    left: Any
    right: Any
    inside: Any
    steepness: Any
    share: Any

    @classmethod
    def of(cls, writer: Any, x: Any, knots: Any, values: Any) -> Segments:
        """The segments of numbers in a table."""
        make, const = writer.make, writer.maker.const
        last = writer.maker.type(knots).shape[0] - 1
        found = make("sub", make("searchsorted", knots, x, side="right"), const(1))
        below, above = make("lt", x, make("take", knots, key=(0,))), make("ge", x, make("take", knots, key=(last,)))
        if last == 0:
            above = make("or", above, make("not", below))
        left = make("minimum", make("maximum", found, const(0)), const(max(last - 1, 0)))
        right = make("minimum", make("add", left, const(1)), const(last))
        (x0, x1), (y0, y1) = ([make("pick_at", table, place, axis=0) for place in (left, right)] for table in (knots, values))
        inside = make("not", make("or", below, above))
        width = make("sub", x1, x0)
        width = make("select", make("eq", width, const(0.0)), const(1.0), width)
        near = make("select", below, const(0), make("select", inside, left, const(last)))
        return cls(near, right, inside, make("div", make("sub", y1, y0), width), make("div", make("sub", x, x0), width))


def steepness(writer: Any) -> Any:
    """How the interpolated number grows with the number that is looked up: 0 outside of the table."""
    found = Segments.of(writer, *writer.operands)
    return writer.make("select", found.inside, found.steepness, writer.maker.const(0.0))


def shares(writer: Any) -> Any:
    """The adjoint of the values of a table: each number is made of its two neighbours, or is an end."""
    found, make, one, zero = Segments.of(writer, *writer.operands), writer.make, writer.maker.const(1.0), writer.maker.const(0.0)
    first = make("mul", writer.g, make("select", found.inside, make("sub", one, found.share), one))
    second = make("mul", writer.g, make("select", found.inside, found.share, zero))
    return _added(writer, found, first, second, writer.operands[2])


def shifts(writer: Any) -> Any:
    """The adjoint of the knots of a table."""
    found, make, zero = Segments.of(writer, *writer.operands), writer.make, writer.maker.const(0.0)
    down = make("mul", writer.g, make("select", found.inside, make("neg", found.steepness), zero))
    second = make("mul", down, found.share)
    return _added(writer, found, make("sub", down, second), second, writer.operands[1])


def _added(writer: Any, segments: Segments, first: Any, second: Any, like: Any) -> Any:
    """Adjoints of both neighbours, added up at their places."""
    type = writer.maker.type(like)
    total = writer.make("broadcast", writer.maker.const(0.0), shape=type.shape)
    for place, term in ((segments.left, first), (segments.right, second)):
        total = writer.make("add_at", total, place, writer.make("broadcast", term, shape=writer.maker.type(place).shape), axis=0)
    return total


#: What formulas may call, by name.
ARRAY_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "before": before, "others": others, "running": running, "cofactors": cofactors, "steepness": steepness, "shares": shares,
    "shifts": shifts,
}
