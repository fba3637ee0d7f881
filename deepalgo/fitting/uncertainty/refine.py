"""`refine`: go to the nearest least sum of squares, moving some numbers and holding the others.

Steps of Levenberg and Marquardt by QR of the scaled derivatives, without normal equations, which would square what is ill-conditioned.

>>> x = np.array([0.0, 1.0, 2.0, 3.0])
>>> y = np.exp(0.5 * x)
>>> def growth(p):
...     model = p[0] * np.exp(p[1] * x)
...     return model - y, np.stack([np.exp(p[1] * x), x * model], 1)
>>> found = refine(growth, np.array([1.5, 0.2]), np.array([True, True]))
>>> found.values.round(12).tolist(), found.squares < 1e-24
([1.0, 0.5], True)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from deepalgo.fitting.uncertainty.residuals import Array, usable

#: The residuals at a point, and their derivatives.
Squares: TypeAlias = Callable[[Array], tuple[Array, Array]]

ROUNDS = 100
#: The damping of a first step, and of the last that is tried.
FIRST_DAMPING, MOST_DAMPING = 1e-4, 1e10
#: It ends when a step promises to lower the sum by less than this part, if nothing else is asked for.
ENOUGH = 1e-18


@dataclass(frozen=True, slots=True)
class Refined:
    """Where it ended, the sum of squares there, and the residuals with their derivatives."""

    values: Array
    squares: float
    roots: Array
    jacobian: Array


def refine(
    at: Squares, values: Array, free: NDArray[np.bool_], parts: Array | None = None, enough: float = ENOUGH, rounds: int = ROUNDS
) -> Refined:
    """Move the `free` numbers; each residual counts as its `parts` times, those that are no numbers where it starts not at all."""
    roots, jacobian = at(values)
    keep = usable(roots, jacobian)
    factors = np.where(keep, 1.0 if parts is None else np.sqrt(parts), 0.0)
    here = _weighted(values, roots, jacobian, factors)
    damping = FIRST_DAMPING
    for _ in range(rounds if free.any() else 0):
        slopes = here.jacobian[:, free]
        sizes = np.linalg.norm(slopes, axis=0)
        sizes[sizes == 0] = 1.0
        q, r = np.linalg.qr(slopes / sizes)
        aim = q.T @ here.roots
        if aim @ aim <= enough * here.squares:
            break
        lower = None
        while lower is None and damping < MOST_DAMPING:
            step = np.linalg.lstsq(np.vstack([r, np.sqrt(damping) * np.eye(r.shape[1])]), np.r_[aim, np.zeros(r.shape[1])], rcond=None)[0]
            moved = here.values.copy()
            moved[free] -= step / sizes
            there = _weighted(moved, *at(moved), factors)
            lower = there if there.squares < here.squares else None
            damping = damping / 10 if lower else damping * 10
        if lower is None:
            break
        here = lower
    return here


def _weighted(values: Array, roots: Array, jacobian: Array, factors: Array) -> Refined:
    with np.errstate(all="ignore"):
        roots, jacobian = np.where(factors > 0, factors * roots, 0.0), np.where(factors[:, None] > 0, factors[:, None] * jacobian, 0.0)
        squares = float(roots @ roots)
    return Refined(values, squares if np.isfinite(squares) and np.isfinite(jacobian).all() else np.inf, roots, jacobian)
