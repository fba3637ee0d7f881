"""The last digits: plain Newton steps on a batch, for each system as long as |F| gets smaller.

>>> x, rounds = newton_rounds(np.array([1.4]), np.array([[1.0, 0.0, -2.0]]), 2, most=20)
>>> x.tolist() == [2.0**0.5], int(rounds[0])
(True, 3)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepalgo.studies.newton.polynomial import slope, value
from deepalgo.studies.newton.system import damped_step, evaluate, linearize

Array = NDArray[Any]


def newton_rounds(x: Array, S: Array, degree: int, most: int) -> tuple[Array, NDArray[np.int64]]:
    """Where at most so many Newton steps lead, and how many of them made |F| smaller."""
    x, rounds = x.copy(), np.zeros(len(x), dtype=np.int64)
    size, active = sizes(x, S, degree), np.arange(len(x))
    with np.errstate(all="ignore"):
        for _ in range(most):
            moved = x[active] - _step(x[active], S[active], degree)
            new = sizes(moved, S[active], degree)
            better = new < size[active]
            active, moved, new = active[better], moved[better], new[better]
            x[active], size[active] = moved, new
            rounds[active] += 1
            if len(active) == 0:
                break
    return x, rounds


def _step(x: Array, S: Array, degree: int) -> Array:
    if x.ndim == 1:
        p, dp = slope(S.T, x)
        return np.asarray(p / dp)
    F, J = linearize(np.moveaxis(S, 0, -1), list(x.T), degree)
    J = np.moveaxis(J, 1, 0)
    return np.asarray(damped_step(J, F.T, 1e-14 * float(np.max(np.abs(J) ** 2, initial=1e-300))))


def sizes(x: Array, S: Array, degree: int) -> Array:
    """|F| for each system."""
    with np.errstate(all="ignore"):
        if x.ndim == 1:
            return np.asarray(np.abs(value(S.T, x)))
        return np.asarray(np.sqrt((np.abs(evaluate(np.moveaxis(S, 0, -1), list(x.T), degree)) ** 2).sum(axis=0)))


def backward_error(x: Array, S: Array, degree: int) -> Array:
    """The largest |F_j| relative to the sum of the sizes of its terms: how much the coefficients must change for `x` to be a root."""
    if x.ndim == 1:
        F, terms = np.abs(value(S.T, x)), value(np.abs(S.T), np.abs(x))
        return np.asarray(np.where(F == 0, 0.0, F / terms))
    columns = np.moveaxis(S, 0, -1)
    F, terms = np.abs(evaluate(columns, list(x.T), degree)), evaluate(np.abs(columns), list(np.abs(x.T)), degree)
    return np.asarray(np.where(F == 0, 0.0, F / terms).max(axis=0))
