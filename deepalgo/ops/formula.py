"""The language in which rows state their derivatives, and where they fail: read here, and written by whoever can make operations.

Beside rows, a formula may call these: `zeros(a)`; `H(a)`, the conjugate of a transposed matrix; `rows(a)` and `columns(a)`, a vector as a
matrix; `as_columns(a, y)`, back from it where `y` is a vector; `matrix(g, x, y)`, the adjoint of a product with the axes that vectors lose;
`along(a, x, axis)` and `lift(a, n)`, axes of length 1 for a reduced axis or at the end; `counted(x, axis)`, the places along an axis; and
those of `array_slopes`. In attributes: `shape(a)`, `inverse(axes)`, `part(axis, place)` of a joined array, and `backwards(a, axis)`.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops.array_slopes import ARRAY_FUNCTIONS, TooLargeError
from deepalgo.ops.row import Hazard, Row
from deepalgo.ops.slope import Adjoint, Numerical, Slope
from deepalgo.ops.table import TABLE, infer

V = TypeVar("V")
BINARY: dict[type[ast.AST], str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow"}
COMPARED: dict[type[ast.AST], str] = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
NUMBERS = {"pi": math.pi, "inf": math.inf}
LETTERS = ("x", "y", "z", "u", "v", "w")


class NoFormulaError(Exception):
    """A derivative that only a torch function has."""


class Maker(Protocol[V]):
    """What makes operations: of a program, or at once of arrays."""

    def op(self, name: str, args: Sequence[V], attrs: Mapping[str, Attr]) -> V:
        """The result of an operation."""

    def const(self, value: Attr) -> V:
        """A constant."""

    def type(self, value: V) -> Type:
        """The type of a value."""

    def guards(self, hazard: Hazard) -> bool:
        """Whether an adjoint of zero is to stay zero where the slope of a row is infinite or NaN."""


@functools.cache
def parsed(text: str) -> ast.expr:
    """The syntax tree of a formula."""
    return ast.parse(text, mode="eval").body


@functools.cache
def _orders(text: str) -> bool:
    """Whether a condition is about the order of numbers, which complex ones do not have."""
    return any(isinstance(node, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for node in ast.walk(parsed(text)))


def adjoints(row: Row, operands: Sequence[V], result: V, g: V, attrs: Mapping[str, Attr], maker: Maker[V],
             wanted: Sequence[bool] | None = None) -> list[V | None]:
    """The adjoint of each operand, None where it is 0, where the operand is no quantity, or where it is not wanted."""
    writer = FormulaWriter(row, operands, result, g, attrs, maker)
    return [writer.whole_adjoint(place) if wanted is None or wanted[place] else None for place in range(len(operands))]


def condition(row: Row, text: str, operands: Sequence[V], maker: Maker[V]) -> V:
    """A condition on the operands of a row."""
    found: V = FormulaWriter(row, operands, None, None, {}, maker).value(parsed(text))
    return found


class FormulaWriter:
    """Writes the formulas of one row for one operation."""

    def __init__(self, row: Row, operands: Sequence[Any], result: Any, g: Any, attrs: Mapping[str, Attr], maker: Maker[Any]) -> None:
        self.row, self.operands, self.result, self.g, self.attrs, self.maker = row, operands, result, g, attrs, maker
        self.place = 0

    def whole_adjoint(self, place: int) -> Any:
        """The same, unless there is a place where only a torch function has it."""
        slope = self.row.slope
        if not isinstance(slope, Numerical) and slope.by and slope.of(place) not in (None, "0"):
            for condition, end in slope.ends(place):
                if isinstance(end, str):
                    raise NoFormulaError(f"{self.row.name}: {end}, where {condition}")
        return self.adjoint(place)

    def adjoint(self, place: int) -> Any:
        """What arrives at the operand at a place, in its own type."""
        self.place = place
        slope, part = self.formula(place)
        type = self.maker.type(self.operands[place])
        if part is None or part == "0" and not slope.plane or type.kind < Kind.REAL:
            return None
        in_plane = type.kind is Kind.COMPLEX and bool(slope.plane)
        if part in ("1", "-1") and not (in_plane or slope.at):
            return self.onto(self.g if part == "1" else self.make("neg", self.g), type)
        whole = in_plane or isinstance(slope, Adjoint)
        try:
            found = self.value(parsed(slope.plane if in_plane else part))
        except TooLargeError as error:
            raise NoFormulaError(f"{self.row.name}: {error}") from None
        found = self.at_the_ends(found, slope.ends(place), type.kind)
        if not whole:
            found = self.scaled(self.conj(found))
        return self.onto(found, type)

    def formula(self, place: int) -> tuple[Slope | Adjoint, str | None]:
        """How the row says it, and its text for the operand at a place."""
        slope = self.row.slope
        if isinstance(slope, Numerical):
            raise NoFormulaError(f"{self.row.name}: {slope.form}, {slope.what}")
        part = slope.of(place) if len(slope.by) else None
        if isinstance(part, Numerical):
            raise NoFormulaError(f"{self.row.name}: {part.form}, {part.what}")
        return slope, part

    def at_the_ends(self, slope: Any, ends: Iterable[tuple[str, object]], kind: Kind) -> Any:
        """The slope, with what the row says instead where its conditions hold; complex numbers have no order."""
        for condition, end in ends:
            if isinstance(end, (int, float)) and not (kind is Kind.COMPLEX and _orders(condition)):
                slope = self.make("select", self.value(parsed(condition)), self.maker.const(float(end)), slope)
        return slope

    def scaled(self, slope: Any) -> Any:
        """The adjoint times the slope; an adjoint of zero asks nothing of a slope, if the maker wants that."""
        product = self.make("mul", self.g, slope)
        if not self.maker.guards(self.row.hazard_of(map(self.maker.type, self.operands))):
            return product
        zero = self.maker.const(0.0)
        return self.make("select", self.make("eq", self.g, zero), zero, product)

    def conj(self, value: Any) -> Any:
        """The conjugate of a complex value, and any other as it is."""
        return self.make("conj", value) if self.maker.type(value).kind is Kind.COMPLEX else value

    def onto(self, value: Any, type: Type) -> Any:
        """The value in an operand's type: summed over the axes in which the operand was repeated, and real if the operand is."""
        if type.kind is Kind.REAL and self.maker.type(value).kind is Kind.COMPLEX:
            value = self.make("real", value)
        while len(self.maker.type(value).shape) > len(type.shape):
            value = self.make("sum", value, axis=0)
        for axis, (have, want) in enumerate(zip(self.maker.type(value).shape, type.shape, strict=True)):
            if have != want and want == 1:
                value = self.along(self.make("sum", value, axis=axis), value, axis)
        return self.make("broadcast", value, shape=type.shape) if self.maker.type(value).shape != type.shape else value

    def make(self, name: str, *args: Any, **attrs: Attr) -> Any:
        """An operation."""
        return self.maker.op(name, args, attrs)

    def value(self, node: ast.expr) -> Any:
        """A formula as operations."""
        match node:
            case ast.Constant(value=bool() | int() | float() | complex() as number):
                return self.maker.const(number if isinstance(number, complex) else float(number))
            case ast.Name(id=name):
                return self.named(name)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return self.maker.const(-float(number))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.make("neg", self.value(operand))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
                return self.make(BINARY[type(op)], self.value(left), self.value(right))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARED:
                return self.make(COMPARED[type(op)], self.value(left), self.value(right))
            case ast.BoolOp(op=op, values=values):
                name = "and" if isinstance(op, ast.And) else "or"
                return functools.reduce(lambda one, other: self.make(name, one, other), map(self.value, values))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
                return self.called(name, args, {str(item.arg): self.static(item.value) for item in keywords})
        raise SyntaxError(f"{ast.unparse(node)!r} in the slope of {self.row.name!r}")

    def named(self, name: str) -> Any:
        """What a name stands for."""
        if name in LETTERS:
            return self.operands[LETTERS.index(name)]
        if name == "g":
            return self.g
        if name == self.row.name:
            return self.result
        if name == "place":
            return self.maker.const(self.place)
        if name in NUMBERS:
            return self.maker.const(NUMBERS[name])
        raise SyntaxError(f"{name!r} in the slope of {self.row.name!r}")

    def called(self, name: str, args: Sequence[ast.expr], attrs: Mapping[str, Attr]) -> Any:
        """A row, or one of the functions of the language."""
        if name == "const":
            return self.maker.const(attrs["value"])
        if name in FUNCTIONS:
            return FUNCTIONS[name](self, *args)
        if name not in TABLE:
            raise SyntaxError(f"{name!r} in the slope of {self.row.name!r}")
        return self.make(name, *map(self.value, args), **attrs)

    def static(self, node: ast.expr) -> Any:
        """An attribute: a number, an attribute of the row, or made of shapes."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Tuple(elts=items):
                return tuple(map(self.static, items))
            case ast.Name(id="place"):
                return self.place
            case ast.Name(id=name):
                return self.attrs[name]
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
                sign = 1 if isinstance(op, ast.Add) else -1
                return self.static(left) + sign * self.static(right)
            case ast.Call(func=ast.Name(id="shape"), args=[value]):
                return self.shape(value)
            case ast.Call(func=ast.Name(id="inverse"), args=[axes]):
                order = [axis % len(self.static(axes)) for axis in self.static(axes)]
                return tuple(order.index(axis) for axis in range(len(order)))
            case ast.Call(func=ast.Name(id="part"), args=[axis, place]):
                return self.part(self.static(axis), self.static(place))
            case ast.Call(func=ast.Name(id="backwards"), args=[value, axis]):
                return _whole_until(self.static(axis) or 0, len(self.shape(value)), ("slice", None, None, -1))
        raise SyntaxError(f"{ast.unparse(node)!r} in the slope of {self.row.name!r}")

    def shape(self, node: ast.expr) -> tuple[int, ...]:
        """The shape of a formula."""
        return self.maker.type(self.value(node)).shape

    def part(self, axis: int, place: int) -> Attr:
        """The key of what one operand became in a joined array."""
        shapes = [self.maker.type(operand).shape for operand in self.operands]
        start = sum(shape[axis] for shape in shapes[:place])
        return _whole_until(axis, len(shapes[0]), ("slice", start, start + shapes[place][axis], None))

    def along(self, value: Any, array: Any, axis: int | None) -> Any:
        """A reduced array with an axis of length 1 for the one that is gone."""
        shape = self.maker.type(array).shape
        gone = range(len(shape)) if axis is None else (axis % len(shape),)
        return self.make("reshape", value, shape=tuple(1 if place in gone else size for place, size in enumerate(shape)))


def _whole_until(axis: int, rank: int, last: tuple[Attr, ...]) -> Attr:
    return (*[("slice", None, None, None)] * (axis % rank), last)


def _zeros(writer: FormulaWriter, array: ast.expr) -> Any:
    type = writer.maker.type(writer.value(array))
    return writer.make("broadcast", writer.maker.const(0j if type.kind is Kind.COMPLEX else 0.0), shape=type.shape)


def _transposed(writer: FormulaWriter, array: ast.expr) -> Any:
    value = writer.conj(writer.value(array))
    *front, row, column = range(len(writer.maker.type(value).shape))
    return writer.make("permute", value, axes=(*front, column, row))


def _as_matrix(*shape: int) -> Callable[[FormulaWriter, ast.expr], Any]:
    def function(writer: FormulaWriter, array: ast.expr) -> Any:
        value = writer.value(array)
        return value if len(writer.maker.type(value).shape) > 1 else writer.make("reshape", value, shape=shape)

    return function


def _as_columns(writer: FormulaWriter, array: ast.expr, like: ast.expr) -> Any:
    value = writer.value(array)
    return writer.make("reshape", value, shape=writer.maker.type(value).shape[:-1]) if len(writer.shape(like)) == 1 else value


def _matrix(writer: FormulaWriter, g: ast.expr, x: ast.expr, y: ast.expr) -> Any:
    left, right = writer.shape(x), writer.shape(y)
    types = Type(Kind.REAL, left if len(left) > 1 else (1, *left)), Type(Kind.REAL, right if len(right) > 1 else (*right, 1))
    return writer.make("reshape", writer.value(g), shape=infer("matmul", types).shape)


def _along(writer: FormulaWriter, value: ast.expr, array: ast.expr, axis: ast.expr) -> Any:
    return writer.along(writer.value(value), writer.value(array), writer.static(axis))


def _lift(writer: FormulaWriter, value: ast.expr, count: ast.expr) -> Any:
    return writer.make("reshape", writer.value(value), shape=(*writer.shape(value), *[1] * writer.static(count)))


def _size(writer: FormulaWriter, array: ast.expr, axis: ast.expr) -> Any:
    return writer.maker.const(float(writer.shape(array)[writer.static(axis)]))


def _counted(writer: FormulaWriter, array: ast.expr, axis: ast.expr) -> Any:
    shape, along = writer.shape(array), writer.static(axis)
    kept = shape if along is None else tuple(size if place == along % len(shape) else 1 for place, size in enumerate(shape))
    return writer.make("reshape", writer.maker.const(tuple(range(math.prod(kept)))), shape=kept)


def _places(writer: FormulaWriter, places: ast.expr, array: ast.expr, axis: ast.expr) -> Any:
    """Fixed places along an axis, counted from its start."""
    shape, along = writer.shape(array), writer.static(axis)
    size = math.prod(shape) if along is None else shape[along]
    found = np.asarray(writer.static(places), dtype=int) % max(size, 1)
    value = writer.maker.const(_as_tuples(found))
    return value if found.size else writer.make("to_int", value)


def _as_tuples(array: Any) -> Any:
    return tuple(map(_as_tuples, array)) if array.ndim else array.item()


#: What formulas may call beside rows.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "zeros": _zeros, "H": _transposed, "rows": _as_matrix(1, -1), "columns": _as_matrix(-1, 1), "as_columns": _as_columns,
    "matrix": _matrix, "along": _along, "lift": _lift, "size": _size, "counted": _counted, "places": _places, **ARRAY_FUNCTIONS,
}
