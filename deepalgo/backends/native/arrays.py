"""Operations on the arrays of a sample, which native code holds number by number.

What only moves numbers is found by letting NumPy move their places; the rest is written out in operations on numbers.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from deepalgo.backends.native.by_operation import BY_OPERATION
from deepalgo.backends.native.numbers import NumberForms
from deepalgo.backends.native.pairwise import pairwise
from deepalgo.backends.native.real_steps import RealSteps
from deepalgo.backends.native.text import Cell, Unsupported, literal
from deepalgo.ir import By, Kind, Op, Type
from deepalgo.ir.compute import compute
from deepalgo.ops.slope import Slope
from deepalgo.ops.table import TABLE

#: The numbers of a value, in the order of its axes.
Cells: TypeAlias = tuple[Cell, ...]
Row: TypeAlias = Sequence[Cell] | np.ndarray[Any, Any]
INT, BOOL, REAL = Kind.INT, Kind.BOOL, Kind.REAL


def grid(cells: Cells, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Cells as an array of objects."""
    found = np.empty(len(cells), object)
    found[:] = cells
    return found.reshape(shape)


def only_moves(name: str) -> bool:
    """Whether an operation moves the numbers of its operands to places that its attributes alone decide."""
    row = TABLE[name]
    return row.moves and isinstance(row.slope, Slope) and None not in row.slope.by


def moved(op: Op, operands: Sequence[Cells]) -> Cells:
    """The result of an operation that moves numbers, found by moving their places."""
    every = [cell for cells in operands for cell in cells]
    return tuple(every[place] for place in moved_places(op))


def moved_places(op: Op) -> list[int]:
    """For each number of the result of an operation that moves numbers, its place among those of all operands."""
    start, places = 0, []
    for arg in op.args:
        count = math.prod(arg.type.shape)
        numbers = np.arange(start, start + count, dtype=float).reshape(arg.type.shape)
        places.append(numbers if arg.type.shape else np.float64(numbers))
        start += count
    plain = replace(op, args=tuple(_real(arg) for arg in op.args), result=_real(op.result), by=By.NUMPY)
    found = np.asarray(compute(plain)(*places)).reshape(-1)
    return [int(place) for place in found]


def _real(value: Any) -> Any:
    return replace(value, type=Type(REAL, value.type.shape))


def elementwise(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
    """An operation number by number, its operands repeated along the axes that they lack."""
    shape = op.result.type.shape
    count = math.prod(shape)
    if not fills(op, shape):
        raise Unsupported(f"{op.name} of arrays")
    lined = []
    for arg, cells in zip(op.args, operands, strict=True):
        if len(cells) == count and arg.type.shape == shape:
            lined.append(cells)
        else:
            lined.append(tuple(np.broadcast_to(grid(cells, arg.type.shape), shape).reshape(-1)))
    return tuple(single(n, op, [cells[place] for cells in lined]) for place in range(count))


def fills(op: Op, shape: tuple[int, ...]) -> bool:
    """Whether the operands, repeated along the axes that they lack, have the shape of the result."""
    try:
        return np.broadcast_shapes(*(arg.type.shape for arg in op.args), shape) == shape
    except ValueError:
        return False


def single(n: NumberForms, op: Op, cells: Sequence[Cell]) -> Cell:
    """An operation on one number of each operand."""
    row = TABLE[op.name]
    cells = list(cells)
    if row.common is not None:
        kind = max((row.common, *(cell.kind for cell in cells[row.apart :])))
        cells[row.apart :] = [n.cast(cell, kind) for cell in cells[row.apart :]]
    form = BY_OPERATION.get(op.name)
    found = n.apply(op.name, cells, op.by) if form is None else form(n, op, cells)
    return n.cast(found, op.result.type.kind)


Form: TypeAlias = Callable[[NumberForms, Op, Sequence[Cells]], Cells]


def _lines(op: Op, cells: Cells) -> tuple[list[Cells], int]:
    """The numbers along the axis of an operation, once for each place on the other axes, and how long they are."""
    shape, axis = op.args[0].type.shape, dict(op.attrs).get("axis")
    array = grid(cells, shape)
    if axis is None:
        return [tuple(array.reshape(-1))], array.size
    assert isinstance(axis, int)
    turned = np.moveaxis(array, axis, -1)
    count = math.prod(turned.shape[:-1])
    return [tuple(line) for line in turned.reshape(count, turned.shape[-1])], turned.shape[-1]


def _turned_back(op: Op, rows: Sequence[Cells]) -> Cells:
    """Lines of numbers along the axis of an operation, in the order of the result."""
    axis = dict(op.attrs).get("axis")
    if axis is None:
        return tuple(itertools.chain.from_iterable(rows))
    assert isinstance(axis, int)
    shape = list(op.result.type.shape)
    length = shape.pop(axis)
    array = grid(tuple(itertools.chain.from_iterable(rows)), (*shape, length))
    return tuple(np.moveaxis(array, -1, axis).reshape(-1))


def _reduction(step: str, start: Callable[[Kind], Cell]) -> Form:
    def form(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
        kind = op.result.type.kind
        lines, _ = _lines(op, operands[0])
        return tuple(_reduced(n, step, [n.cast(cell, kind) for cell in line], start(kind)) for line in lines)

    return form


def _sum(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
    """Sums in NumPy's order: along the last axis, or over all numbers, it adds in pairs; along others one after the other.

    It adds them to zero, so that no sum is -0.0.
    """
    kind, axis = op.result.type.kind, op.attr("axis")
    if kind is not REAL or (isinstance(axis, int) and axis % len(op.args[0].type.shape) != len(op.args[0].type.shape) - 1):
        sums = _reduction("add", _zero)(n, op, operands)
    else:
        lines, _ = _lines(op, operands[0])
        cells = [[n.cast(cell, REAL) for cell in line] for line in lines]
        sums = tuple(pairwise(lambda one, other: n.apply("add", (one, other)), line) if line else _zero(REAL) for line in cells)
    return tuple(n.apply("add", (_zero(REAL), total)) for total in sums) if kind is REAL else sums


def _reduced(n: NumberForms, step: str, line: Sequence[Cell], start: Cell) -> Cell:
    return functools.reduce(lambda one, other: n.apply(step, (one, other)), line) if line else start


def _extreme(word: str) -> Form:
    """The smallest or largest number along an axis: the first of equal ones, NaN if there is one."""

    def form(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
        return tuple(functools.reduce(lambda one, other: n.apply(word, (one, other)), line) for line in _lines(op, operands[0])[0])

    return form


def _place_of(word: str) -> Form:
    """The place of the smallest or largest number along an axis: of the first of equal ones, of NaN if there is one."""

    def form(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
        return tuple(_find_place(n, word, line) for line in _lines(op, operands[0])[0])

    return form


def _find_place(n: NumberForms, word: str, line: Cells) -> Cell:
    best, place = line[0], literal(0, INT)
    for number, cell in enumerate(line[1:], 1):
        better = n.compare(word, cell, best)
        if cell.kind is REAL:
            is_nan, was_nan = n.apply("isnan", (cell,)), n.apply("isnan", (best,))
            better = n.code.op("or", better, n.code.op("and", is_nan, n.opposite(was_nan)))
        best, place = n.code.choose(better, cell, best), n.code.choose(better, literal(number, INT), place)
    return place


def _running(step: str) -> Form:
    def form(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
        kind = op.result.type.kind
        rows = []
        for line in _lines(op, operands[0])[0]:
            cells = [n.cast(cell, kind) for cell in line]
            rows.append(tuple(itertools.accumulate(cells, lambda one, other: n.apply(step, (one, other)))))
        return _turned_back(op, rows)

    return form


def _is_at(n: NumberForms, place: Cell, number: int) -> Cell:
    return n.compare("eq", place, literal(number, INT))


def _clamped(n: NumberForms, place: Cell, size: int) -> Cell:
    place = n.cast(place, INT)
    return n.apply("min", (n.apply("max", (place, literal(0, INT))), literal(size - 1, INT)))


def _chosen(n: NumberForms, place: Cell, cells: Row) -> Cell:
    """One of several numbers by its place."""
    if place.is_const and not place.wide:
        return cells[int(place.text)]
    found = cells[-1]
    for number in range(len(cells) - 2, -1, -1):
        found = n.code.choose(_is_at(n, place, number), cells[number], found)
    return found


def _rows(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A row for each place along the first axis."""
    return array.reshape(len(array), math.prod(array.shape[1:]))


def _gather(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
    array = grid(operands[0], op.args[0].type.shape)
    rows = _rows(array)
    places = [_clamped(n, place, len(rows)) for place in operands[1]]
    return tuple(_chosen(n, place, rows[:, column]) for place in places for column in range(rows.shape[1]))


def _pick_at(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
    axis = op.attr("axis")
    array, shape = grid(operands[0], op.args[0].type.shape), op.args[1].type.shape
    if axis is None:
        array, axis = array.reshape(-1), 0
    assert isinstance(axis, int)
    turned = np.moveaxis(array, axis, 0)
    places = [_clamped(n, place, len(turned)) for place in operands[1]]
    rows = _rows(turned)
    made = [_chosen(n, place, rows[:, column]) for place in places for column in range(rows.shape[1])]
    found = grid(tuple(made), (*shape, *turned.shape[1:]))
    axis %= array.ndim
    return tuple(np.moveaxis(found, list(range(len(shape))), list(range(axis, axis + len(shape)))).reshape(-1))


def _put_at(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
    array = grid(operands[0], op.args[0].type.shape)
    if op.args[1].type.shape:
        raise Unsupported("put_at at several places")
    rows = _rows(array)
    place = _clamped(n, operands[1][0], len(rows))
    new = np.broadcast_to(grid(operands[2], op.args[2].type.shape), array.shape[1:]).reshape(-1)
    kind = op.result.type.kind
    return tuple(
        n.code.choose(_is_at(n, place, row), n.cast(new[column], kind), n.cast(rows[row, column], kind))
        for row in range(len(rows)) for column in range(rows.shape[1])
    )


def _add_at(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
    """Add each of several numbers at its place along an axis."""
    axis = op.attr("axis")
    whole = op.args[0].type.shape
    array = grid(operands[0], whole)
    if axis is None:
        array, axis = array.reshape(-1), 0
    assert isinstance(axis, int)
    axis %= array.ndim
    count = len(op.args[1].type.shape)
    around = (*array.shape[:axis], *op.args[1].type.shape, *array.shape[axis + 1 :])
    added = np.broadcast_to(grid(operands[2], op.args[2].type.shape), around)
    added = np.moveaxis(added, list(range(axis, axis + count)), list(range(count)))
    added = added.reshape(len(operands[1]), math.prod(added.shape[count:]))
    turned = np.moveaxis(array, axis, 0)
    rows = _rows(turned).copy()
    for number, given in enumerate(operands[1]):
        place = _clamped(n, given, len(rows))
        for row, column in itertools.product(range(len(rows)), range(rows.shape[1])):
            term = n.code.choose(_is_at(n, place, row), added[number, column], literal(0.0, REAL))
            rows[row, column] = n.apply("add", (rows[row, column], term))
    return tuple(np.moveaxis(rows.reshape(turned.shape), 0, axis).reshape(-1))


def _matmul(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
    left, right = (grid(cells, arg.type.shape) for cells, arg in zip(operands, op.args, strict=True))
    left = left if left.ndim > 1 else left[None]
    right = right if right.ndim > 1 else right[:, None]
    front = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left, right = np.broadcast_to(left, (*front, *left.shape[-2:])), np.broadcast_to(right, (*front, *right.shape[-2:]))
    return tuple(
        _dot(n, left[(*place, row)], right[(*place, slice(None), column)])
        for place in np.ndindex(*front) for row in range(left.shape[-2]) for column in range(right.shape[-1])
    )


def _dot(n: NumberForms, first: Row, second: Row) -> Cell:
    kind = max(cell.kind for cell in (*first, *second))
    kind = max(kind, INT)
    terms = [n.apply("mul", (n.cast(one, kind), n.cast(other, kind))) for one, other in zip(first, second, strict=True)]
    return functools.reduce(lambda one, other: n.apply("add", (one, other)), terms, _zero(kind))


def _sorted(with_places: bool) -> Form:
    """Numbers, or their places, in order: exchanges of neighbours, which keep equal numbers as they stand; NaN comes last."""

    def form(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
        rows = []
        for line in _lines(op, operands[0])[0]:
            items = [(cell, literal(place, INT)) for place, cell in enumerate(line)]
            for last in range(len(items) - 1, 0, -1):
                for place in range(last):
                    items[place : place + 2] = _exchanged(n, *items[place : place + 2])
            rows.append(tuple(item[with_places] for item in items))
        return _turned_back(op, rows)

    return form


def _exchanged(n: NumberForms, first: tuple[Cell, Cell], second: tuple[Cell, Cell]) -> list[tuple[Cell, Cell]]:
    swap = n.compare("lt", second[0], first[0])
    if first[0].kind is REAL:
        lost = n.code.op("and", n.apply("isnan", (first[0],)), n.opposite(n.apply("isnan", (second[0],))))
        swap = n.code.op("or", swap, lost)
    pairs = [*zip(first, second, strict=True)]
    return [tuple(n.code.choose(swap, two, one) for one, two in pairs), tuple(n.code.choose(swap, one, two) for one, two in pairs)]  # type: ignore[list-item]


def _searchsorted(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
    """How many numbers of an ascending array stand before each number; NaN stands last."""
    array, wanted = operands
    strict = op.attr("side") == "left"
    return tuple(_count_before(n, array, cell, strict) for cell in wanted)


def _count_before(n: NumberForms, array: Cells, cell: Cell, strict: bool) -> Cell:
    kind = max(cell.kind, array[0].kind) if array else cell.kind
    total = literal(0, INT)
    for item in array:
        one, other = (n.cast(item, kind), n.cast(cell, kind)) if strict else (n.cast(cell, kind), n.cast(item, kind))
        before = n.compare("lt", one, other)
        if kind is REAL:
            lost = n.code.op("and", n.apply("isnan", (other,)), n.opposite(n.apply("isnan", (one,))))
            before = n.code.op("or", before, lost)
        total = n.apply("add", (total, n.cast(before if strict else n.opposite(before), INT)))
    return total


def _interp(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
    """`np.interp`: the line through the two points of the table that a number lies between; at the ends what stands there."""
    looked, knots, values = ([n.cast(cell, REAL) for cell in cells] for cells in operands)
    return tuple(_interpolated(n, x, knots, values) for x in looked)


def _interpolated(n: NumberForms, x: Cell, knots: Row, values: Row) -> Cell:
    s = RealSteps(n)
    points = [*zip(knots, values, strict=True)]
    if len(points) == 1:
        return values[0]
    (x0, y0), (x1, y1) = points[0], points[1]
    for low, high in itertools.pairwise(points[1:]):
        beyond = n.compare("ge", x, low[0])
        x0, y0, x1, y1 = (n.code.choose(beyond, new, old) for new, old in ((low[0], x0), (low[1], y0), (high[0], x1), (high[1], y1)))
    steepness = s.div(s.sub(y1, y0), s.sub(x1, x0))
    near, far = s.add(s.mul(steepness, s.sub(x, x0)), y0), s.add(s.mul(steepness, s.sub(x, x1)), y1)
    far = s.where(s.both(s.ne(far, far), s.eq(y0, y1)), y0, far)
    found = s.where(s.eq(x, x0), y0, s.where(s.ne(near, near), far, near))
    found = s.where(s.lt(x, knots[0]), values[0], s.where(s.ge(x, knots[-1]), values[-1], found))
    return s.where(s.ne(x, x), x, found)


def _take_along(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
    values, _ = _lines(op, operands[0])
    places, _ = _lines(replace(op, args=(op.args[1],)), operands[1])
    rows = [tuple(_chosen(n, _clamped(n, place, len(line)), line) for place in wanted) for line, wanted in zip(values, places, strict=True)]
    return _turned_back(op, rows)


def _norm(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
    lines, _ = _lines(op, operands[0])
    return tuple(n.apply("sqrt", (_dot(n, *[[n.cast(cell, REAL) for cell in line]] * 2),)) for line in lines)


def _cross(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
    if any(arg.type.shape != (3,) for arg in op.args):
        raise Unsupported("cross of other than two vectors")
    x, y = operands
    pairs = ((1, 2), (2, 0), (0, 1))
    return tuple(n.apply("sub", (n.apply("mul", (x[i], y[j])), n.apply("mul", (x[j], y[i])))) for i, j in pairs)


def _zero(kind: Kind) -> Cell:
    return literal(0, kind)


def _one(kind: Kind) -> Cell:
    return literal(1, kind)


#: Operations that are not computed number by number, and do not only move numbers.
ARRAYS: dict[str, Form] = {
    "sum": _sum, "prod": _reduction("mul", _one), "any": _reduction("or", _zero), "all": _reduction("and", _one),
    "amin": _extreme("minimum"), "amax": _extreme("maximum"), "argmin": _place_of("lt"), "argmax": _place_of("gt"),
    "cumsum": _running("add"), "cumprod": _running("mul"), "gather": _gather, "pick_at": _pick_at, "put_at": _put_at, "add_at": _add_at,
    "matmul": _matmul, "sort": _sorted(False), "argsort": _sorted(True), "take_along": _take_along, "norm2": _norm, "cross": _cross,
    "searchsorted": _searchsorted, "interp": _interp,
}


def constant(value: Any, kind: Kind) -> Iterator[Cell]:
    """The numbers of a constant."""
    if isinstance(value, tuple):
        for item in value:
            yield from constant(item, kind)
    else:
        yield literal(value, kind)
