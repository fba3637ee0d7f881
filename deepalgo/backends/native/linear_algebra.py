"""Small linear algebra: elimination with partial pivots and Cholesky's decomposition, written out in operations on numbers."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from deepalgo.backends.native.numbers import NumberForms
from deepalgo.backends.native.real_steps import RealSteps
from deepalgo.backends.native.text import Cell, Unsupported, literal
from deepalgo.ir import Op
from deepalgo.kinds import Kind

Cells: TypeAlias = tuple[Cell, ...]
#: Rows of cells.
Matrix: TypeAlias = list[list[Cell]]
Form: TypeAlias = Callable[[NumberForms, Op, Sequence[Cells]], Cells]
#: The steps grow with the cube of the size.
LARGEST = 8
ZERO, ONE = literal(0.0, Kind.REAL), literal(1.0, Kind.REAL)


@dataclass(slots=True)
class Elimination:
    """What is left of a matrix above its diagonal, the right sides after the same steps, and the sign of the exchanges."""

    upper: Matrix
    right: Matrix
    sign: Cell


def eliminate(s: RealSteps, matrix: Matrix, right: Matrix) -> Elimination:
    """Elimination with the largest number of each column as pivot, the first of equal ones."""
    rows, others, sign = [[*row] for row in matrix], [[*row] for row in right], ONE
    size = len(rows)
    for k in range(size):
        place, best = literal(k, Kind.INT), s.abs(rows[k][k])
        for i in range(k + 1, size):
            larger = s.gt(s.abs(rows[i][k]), best)
            best, place = s.where(larger, s.abs(rows[i][k]), best), s.n.code.choose(larger, literal(i, Kind.INT), place)
        for i in range(k + 1, size):
            swap = s.n.compare("eq", place, literal(i, Kind.INT))
            sign = s.where(swap, s.neg(sign), sign)
            for held in (rows, others):
                pairs = [*zip(held[k], held[i], strict=True)]
                held[k], held[i] = [s.where(swap, two, one) for one, two in pairs], [s.where(swap, one, two) for one, two in pairs]
        for i in range(k + 1, size):
            factor = s.where(s.eq(rows[k][k], 0.0), 0.0, s.div(rows[i][k], rows[k][k]))
            for j in range(k + 1, size):
                rows[i][j] = s.sub(rows[i][j], s.mul(factor, rows[k][j]))
            others[i] = [s.sub(mine, s.mul(factor, top)) for mine, top in zip(others[i], others[k], strict=True)]
    return Elimination(rows, others, sign)


def solved(s: RealSteps, matrix: Matrix, right: Matrix) -> Matrix:
    """The solution of linear equations for several right sides, NaN where a pivot is zero."""
    done = eliminate(s, matrix, right)
    singular = functools.reduce(s.either, (s.eq(done.upper[i][i], 0.0) for i in range(len(matrix))))
    found: Matrix = [[] for _ in matrix]
    for i in reversed(range(len(matrix))):
        row = done.right[i]
        for j in range(i + 1, len(matrix)):
            row = [s.sub(one, s.mul(done.upper[i][j], known)) for one, known in zip(row, found[j], strict=True)]
        found[i] = [s.where(singular, math.nan, s.div(one, done.upper[i][i])) for one in row]
    return found


def _matrices(n: NumberForms, op: Op, cells: Cells, place: int = 0) -> np.ndarray[Any, Any]:
    """The cells of an operand of square matrices, as real numbers."""
    shape = op.args[place].type.shape
    if shape[-1] > LARGEST:
        raise Unsupported(f"{op.name} of a matrix of {shape[-1]} rows")
    found = np.empty(len(cells), object)
    found[:] = [n.cast(cell, Kind.REAL) for cell in cells]
    return found.reshape(shape)


def _each(of: Callable[[RealSteps, Matrix], Sequence[Cell]]) -> Form:
    """A form of one matrix, for each matrix of a stack."""

    def form(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
        array = _matrices(n, op, operands[0])
        matrices = array.reshape(-1, *array.shape[-2:])
        return tuple(itertools.chain.from_iterable(of(RealSteps(n), matrix.tolist()) for matrix in matrices))

    return form


def _solve(n: NumberForms, op: Op, operands: Sequence[Cells]) -> Cells:
    array = _matrices(n, op, operands[0])
    right = np.empty(len(operands[1]), object)
    right[:] = [n.cast(cell, Kind.REAL) for cell in operands[1]]
    shape = op.args[1].type.shape
    right = right.reshape(shape if len(shape) > 1 else (*shape, 1))
    front = np.broadcast_shapes(array.shape[:-2], right.shape[:-2])
    array, right = np.broadcast_to(array, (*front, *array.shape[-2:])), np.broadcast_to(right, (*front, *right.shape[-2:]))
    found = [solved(RealSteps(n), array[place].tolist(), right[place].tolist()) for place in np.ndindex(*front)]
    return tuple(cell for matrix in found for row in matrix for cell in row)


def _inv(s: RealSteps, matrix: Matrix) -> list[Cell]:
    size = range(len(matrix))
    return [cell for row in solved(s, matrix, [[ONE if i == j else ZERO for j in size] for i in size]) for cell in row]


def _diagonal(s: RealSteps, matrix: Matrix) -> tuple[list[Cell], Cell]:
    done = eliminate(s, matrix, [[] for _ in matrix])
    return [done.upper[i][i] for i in range(len(matrix))], done.sign


def _det(s: RealSteps, matrix: Matrix) -> list[Cell]:
    pivots, sign = _diagonal(s, matrix)
    return [functools.reduce(s.mul, pivots, sign)]


def _det_sign(s: RealSteps, matrix: Matrix) -> list[Cell]:
    pivots, sign = _diagonal(s, matrix)
    return [functools.reduce(s.mul, (s.n.apply("sign", (pivot,)) for pivot in pivots), sign)]


def _det_log(s: RealSteps, matrix: Matrix) -> list[Cell]:
    pivots, _ = _diagonal(s, matrix)
    return [functools.reduce(s.add, (s.n.call("log", s.abs(pivot)) for pivot in pivots), ZERO)]


def _is_singular(s: RealSteps, matrix: Matrix) -> list[Cell]:
    return [s.eq(_det(s, matrix)[0], 0.0)]


#: Operations on square matrices.
LINEAR: dict[str, Form] = {
    "solve": _solve, "inv": _each(_inv), "det": _each(_det), "det_sign": _each(_det_sign), "det_log": _each(_det_log),
    "is_singular": _each(_is_singular),
}
