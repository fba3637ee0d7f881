"""Where the last digits decide a comparison or a rounding, and where an infinite derivative is replaced by 0.

Rows say both as expressions of torch (`step`, `endpoint`), which are computed natively here.

>>> from deepalgo.backends.native.text import Code
>>> numbers = NumberForms(Code())
>>> value(TABLE["floor"].step, numbers, [Cell("%x", Kind.REAL)]).text, numbers.code.lines
('%v1', ['  %v1 = call double @llvm.roundeven.f64(double %x)'])
"""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Sequence
from functools import reduce

from deepalgo.backends.native.array_loops import Held, readers
from deepalgo.backends.native.columns import LARGE
from deepalgo.backends.native.memory import Extent, Memory, spread_places
from deepalgo.backends.native.numbers import NumberForms
from deepalgo.backends.native.text import Cell, Unsupported, literal
from deepalgo.ir import Op
from deepalgo.kinds import Kind
from deepalgo.ops.table import TABLE

#: The functions that rows use in these expressions.
FUNCTIONS: dict[str, Callable[..., Cell]] = {
    "torch.abs": lambda n, x: n.apply("abs", (x,)),
    "torch.floor": lambda n, x: n.apply("floor", (x,)),
    "torch.round": lambda n, x: n.intrinsic("roundeven", x),
    "ops.at_pow": lambda n, x, y: _all(n, n.compare("eq", x, _real(0)), n.compare("lt", y, _real(1)), n.compare("ne", y, _real(0))),
}


def value(expression: str, numbers: NumberForms, cells: Sequence[Cell]) -> Cell:
    """What an expression of a row is for these operands."""
    return _value(ast.parse(expression.format("x0", "x1", "x2"), mode="eval").body, numbers, cells)


def _value(node: ast.expr, n: NumberForms, cells: Sequence[Cell]) -> Cell:
    match node:
        case ast.Name(name):
            return n.cast(cells[int(name[1:])], Kind.REAL)
        case ast.Constant(int() | float() as number):
            return _real(number)
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as number)):
            return _real(-number)
        case ast.Compare(left, [ast.Eq()], [right]):
            return n.compare("eq", _value(left, n, cells), _value(right, n, cells))
        case ast.BinOp(left, ast.BitAnd() | ast.BitOr() | ast.Add() as operator, right):
            word = {ast.BitAnd: "and", ast.BitOr: "or", ast.Add: "fadd"}[type(operator)]
            return n.code.op(word, _value(left, n, cells), _value(right, n, cells))
        case ast.Call(function, args) if ast.unparse(function) in FUNCTIONS:
            return FUNCTIONS[ast.unparse(function)](n, *(_value(item, n, cells) for item in args))
    raise Unsupported(f"a record with {ast.unparse(node)}")


def tie(numbers: NumberForms, op: Op, cells: Sequence[Cell]) -> Cell:
    """Whether the operand of a rounding or comparison and what it is held against agree to within four units of the last digit."""
    n, other = numbers, value(TABLE[op.name].step, numbers, cells)
    one = n.cast(cells[0], Kind.REAL)
    size = n.apply("maximum", (n.apply("abs", (one,)), n.apply("abs", (other,))))
    gap = n.apply("abs", (n.code.op("fsub", one, other),))
    return _all(n, n.compare("le", gap, n.code.op("fmul", size, _real(4 * sys.float_info.epsilon))), n.finite(size))


def endpoint(numbers: NumberForms, op: Op, cells: Sequence[Cell]) -> Cell:
    """Whether an infinite derivative is replaced by 0."""
    return value(TABLE[op.name].endpoint, numbers, cells)


def anywhere(memory: Memory, op: Op, operands: Sequence[Held], doubt: Callable[[NumberForms, Op, Sequence[Cell]], Cell]) -> Cell:
    """Whether it is so for any number of arrays."""
    numbers, shape = memory.numbers, op.result.type.shape
    count = math.prod(shape)
    few = [held for held in operands if not isinstance(held, Extent)]
    if count < LARGE and len(few) == len(operands):
        places = [spread_places(arg.type.shape, shape) for arg in op.args]
        hits = [doubt(numbers, op, [held[where[place]] for held, where in zip(few, places, strict=True)]) for place in range(count)]
        return reduce(lambda one, other: numbers.code.op("or", one, other), hits, literal(False, Kind.BOOL))
    found = memory.rooms.take(1, Kind.BOOL)
    memory.write(found, 0, literal(False, Kind.BOOL))
    with readers(memory, op, operands, shape) as read, memory.each(count) as place:
        hit = doubt(numbers, op, [each(place) for each in read])
        memory.write(found, 0, numbers.code.op("or", memory.read(found, 0), hit))
    answer = memory.read(found, 0)
    memory.rooms.release(found)
    return answer


def _real(number: float) -> Cell:
    return literal(float(number), Kind.REAL)


def _all(n: NumberForms, *cells: Cell) -> Cell:
    return reduce(lambda one, other: n.code.op("and", one, other), cells)
