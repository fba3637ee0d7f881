"""Systems of p polynomials in d variables: nested Horner, the Jacobian, and the damped generalised inverse.

`S` has the shape (p, m): a row for each polynomial, a column for each monomial of total degree at most `degree`, ordered as
`monomials` lists them.

>>> monomials(2, 2)
((2, 0), (1, 1), (1, 0), (0, 2), (0, 1), (0, 0))
>>> circle_and_line = np.array([[1.0, 0.0, 0.0, 1.0, 0.0, -1.0], [0.0, 0.0, 1.0, 0.0, -1.0, 0.0]])
>>> F, J = linearize(circle_and_line, np.array([2.0, 1.0]), 2)
>>> F.tolist(), J.tolist()
([4.0, 1.0], [[4.0, 2.0], [1.0, -1.0]])
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any

import numpy as np


@cache
def monomials(variables: int, degree: int) -> tuple[tuple[int, ...], ...]:
    """The exponents of all monomials, in the order in which nested Horner reads their coefficients."""
    if variables == 0:
        return ((),)
    return tuple((power, *rest) for power in range(degree, -1, -1) for rest in monomials(variables - 1, degree - power))


@cache
def nest(variables: int, degree: int, place: int = 0) -> Any:
    """Where nested Horner finds each coefficient: a tree whose level is a variable, whose branches are its powers, the highest first.

    >>> nest(2, 2)
    ((0,), (1, 2), (3, 4, 5))
    """
    if variables == 0:
        return place
    branches = []
    for power in (*range(degree, -1, -1),):
        branches.append(nest(variables - 1, degree - power, place))
        place += comb(variables - 1 + degree - power, variables - 1)
    return tuple(branches)


def evaluate(S: Any, x: Any, degree: int) -> Any:
    """`F(x)`, the values of the p polynomials."""
    return _value(S, x, nest(len(x), degree), 0)


def linearize(S: Any, x: Any, degree: int) -> tuple[Any, Any]:
    """`F(x)` of shape (p,) and the Jacobian `J(x)` of shape (p, d)."""
    F, slopes = _slopes(S, x, nest(len(x), degree), 0)
    return F, np.stack([0 * F if slope is None else np.broadcast_to(slope, F.shape) for slope in slopes], axis=-1)


def _value(S: Any, x: Any, tree: Any, variable: int) -> Any:
    """The polynomials in the variables from `variable` on, whose coefficients the tree names."""
    if isinstance(tree, int):
        return S[:, tree]
    total = _value(S, x, tree[0], variable + 1)
    for branch in tree[1:]:
        total = total * x[variable] + _value(S, x, branch, variable + 1)
    return total


def _slopes(S: Any, x: Any, tree: Any, variable: int) -> tuple[Any, list[Any]]:
    """The same with the derivatives by the variables from `variable` on; None stands for one that is zero everywhere."""
    if isinstance(tree, int):
        return S[:, tree], []
    total, others = _slopes(S, x, tree[0], variable + 1)
    own = None
    for branch in tree[1:]:
        part, slopes = _slopes(S, x, branch, variable + 1)
        own = total if own is None else own * x[variable] + total
        others = [_next(a, x[variable], b) for a, b in zip(others, slopes, strict=True)]
        total = total * x[variable] + part
    return total, [own, *others]


def _next(a: Any, x: Any, b: Any) -> Any:
    """`a x + b`, where None is zero."""
    if a is None:
        return b
    return a * x if b is None else a * x + b


def curve(S: Any, x: Any, v: Any, degree: int) -> Any:
    """Half of the second derivative of `F` along `v`: the coefficient of t^2 in F(x + t v), by Horner's rule on Taylor series."""
    F, _, bend = _series(S, x, v, nest(len(x), degree), 0)
    return 0 * F if bend is None else bend


def _series(S: Any, x: Any, v: Any, tree: Any, variable: int) -> tuple[Any, Any, Any]:
    """The first three Taylor coefficients along `v` of the polynomials whose coefficients the tree names; None is zero."""
    if isinstance(tree, int):
        return S[:, tree], None, None
    a, b, c = _series(S, x, v, tree[0], variable + 1)
    for branch in tree[1:]:
        p, q, r = _series(S, x, v, branch, variable + 1)
        c = _next(c, x[variable], _next(b, v[variable], r))
        b = _next(b, x[variable], _next(a, v[variable], q))
        a = a * x[variable] + p
    return a, b, c


def columns(points: Any) -> list[Any]:
    """The coordinates of an array of points, each with an axis for the equations."""
    return [points[..., k : k + 1] for k in range(points.shape[-1])]


def squares(S: Any, points: Any, degree: int) -> Any:
    """The sum of squares of |F| at each of an array of points."""
    F = abs(evaluate(S, columns(points), degree))
    return np.sum(F * F, axis=-1)


def damped_step(J: Any, F: Any, damping: float) -> Any:
    """`(J'J + damping) \\ J'F`: the generalised inverse applied to `F`, closed forms up to three variables; J' is the adjoint.

    With a damping above zero there is a step for every Jacobian; at `J = 0` it is zero. More equations than variables
    are solved in the sense of least squares. Axes in front, of several points at once, are allowed.
    """
    Jt = np.swapaxes(J, -1, -2).conjugate()
    A, b = Jt @ J, (Jt @ F[..., None])[..., 0]
    d = b.shape[-1]
    if d == 1:
        return b / (A[..., 0] + damping)
    if d == 2:
        return _solve2(A[..., 0, 0] + damping, A[..., 0, 1], A[..., 1, 1] + damping, b)
    if d == 3:
        return _solve3(A, damping, b)
    return np.linalg.solve(A + damping * np.eye(d), b[..., None])[..., 0]


def _solve2(a: Any, b: Any, c: Any, right: Any) -> Any:
    """`[[a, b], [b*, c]] \\ right` by Cramer's rule."""
    det = a * c - b * b.conjugate()
    first, second = right[..., 0], right[..., 1]
    return np.stack([(c * first - b * second) / det, (a * second - b.conjugate() * first) / det], axis=-1)


def _solve3(A: Any, damping: float, right: Any) -> Any:
    """A Hermitian 3 x 3 system by its adjugate."""
    a, b, c = A[..., 0, 0] + damping, A[..., 0, 1], A[..., 0, 2]
    d, e, f = A[..., 1, 1] + damping, A[..., 1, 2], A[..., 2, 2] + damping
    u, v, w = d * f - e * e.conjugate(), c * e.conjugate() - b * f, b * e - c * d
    s, t, r = a * f - c * c.conjugate(), c * b.conjugate() - a * e, a * d - b * b.conjugate()
    det = a * u + b * v.conjugate() + c * w.conjugate()
    rows = [(u, v, w), (v.conjugate(), s, t), (w.conjugate(), t.conjugate(), r)]
    return np.stack([(p * right[..., 0] + q * right[..., 1] + o * right[..., 2]) / det for p, q, o in rows], axis=-1)
