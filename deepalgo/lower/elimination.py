"""Linear equations in single numbers: Gaussian elimination with pivoting, written out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from deepalgo.ir.rewriter import Rewriter

Cells = NDArray[Any]


def solve(writer: Rewriter, matrix: Cells, right: Cells) -> Cells:
    """`matrix \\ right`; a right side with one axis less is a vector."""
    columns = right[..., None] if right.ndim == matrix.ndim - 1 else right
    front = np.broadcast_shapes(matrix.shape[:-2], columns.shape[:-2])
    matrix, columns = (np.broadcast_to(array, (*front, *array.shape[-2:])) for array in (matrix, columns))
    found = np.empty(columns.shape, dtype=object)
    for place in np.ndindex(front):
        rows = _eliminated(writer, np.concatenate([matrix[place], columns[place]], axis=1))
        found[place] = _substituted(writer, rows)
    return found[..., 0] if right.ndim == matrix.ndim - 1 else found


def is_singular(writer: Rewriter, matrix: Cells) -> Cells:
    """Whether a pivot is zero."""
    found = np.empty(matrix.shape[:-2], dtype=object)
    for place in np.ndindex(found.shape):
        rows = _eliminated(writer, matrix[place])
        answer = None
        for k in range(len(rows)):
            is_zero = writer.equal(rows[k, k], writer.const(0.0))
            answer = is_zero if answer is None else writer.any_of(answer, is_zero)
        found[place] = answer
    return found


def _eliminated(writer: Rewriter, rows: Cells) -> Cells:
    """The rows in triangular form, the largest pivot of each column on top."""
    rows, count = rows.copy(), len(rows)
    for k in range(count):
        for below in range(k + 1, count):
            larger = writer.add("gt", writer.magnitude(rows[below, k]), writer.magnitude(rows[k, k]))
            for column in range(k, rows.shape[1]):
                upper, lower = rows[k, column], rows[below, column]
                rows[k, column] = writer.where(larger, lower, upper)
                rows[below, column] = writer.where(larger, upper, lower)
        for below in range(k + 1, count):
            factor = writer.ratio(rows[below, k], rows[k, k])
            for column in range(k + 1, rows.shape[1]):
                rows[below, column] = writer.difference(rows[below, column], writer.product(factor, rows[k, column]))
    return rows


def _substituted(writer: Rewriter, rows: Cells) -> Cells:
    """The solution of a triangular system for all right sides."""
    count, width = rows.shape
    x = np.empty((count, width - count), dtype=object)
    for side in range(width - count):
        for k in reversed(range(count)):
            total = rows[k, count + side]
            for later in range(k + 1, count):
                total = writer.difference(total, writer.product(rows[k, later], x[later, side]))
            x[k, side] = writer.ratio(total, rows[k, k])
    return x
