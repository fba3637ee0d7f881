"""Newton's method as people write it: a start, a fixed number of rounds, a damped step, with a line search or without.

>>> root = newton_1d(start=1.0, damping=1e-12, rounds=5)
>>> round(float(root(np.array([1.0, 0.0, -2.0]))), 6)
1.414214
>>> meet = newton(start=(1.0, 0.5), damping=1e-12, degree=2, rounds=5)
>>> meet(np.array([[1.0, 0.0, 0.0, 1.0, 0.0, -1.0], [0.0, 0.0, 1.0, 0.0, -1.0, 0.0]])).round(6)
array([0.707107, 0.707107])

Each function here makes a heuristic: an ordinary Python function of the coefficients `S`, which `deepalgo.compile` takes as it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from deepalgo.newton.polynomial import slope, value
from deepalgo.newton.system import damped_step, evaluate, linearize

Heuristic = Callable[[Any], Any]

#: The step lengths among which the line search of the paper chooses.
STEPS = (0.5, 1.0, 1.5)


def newton_1d(start: float, damping: float, rounds: int = 3) -> Heuristic:
    """Newton's method for one polynomial in one variable, with the factors of the paper's layer at their trivial values."""
    A, B, C = 1.0, 1.0, 0.0

    def newton(S: Any) -> Any:
        x = start
        for _ in range(rounds):
            p, dp = slope(S, x)
            step = dp / (dp * dp + damping) * p
            x = B * x + C * dp - A * step
        return x

    return newton


def newton_ls_1d(start: float, damping: float, rounds: int = 3) -> Heuristic:
    """The same with a line search: of the candidates of a round that with the smallest |p| is the next iterate."""

    def newton_ls(S: Any) -> Any:
        x = start
        for _ in range(rounds):
            p, dp = slope(S, x)
            step = dp / (dp * dp + damping) * p
            candidates = np.stack([x - length * step for length in STEPS])
            x = candidates[smallest(abs(value(S, candidates)))]
        return x

    return newton_ls


def newton(start: Sequence[float], damping: float, degree: int, rounds: int = 3) -> Heuristic:
    """Newton's method for a system, with a damped generalised inverse of the Jacobian."""
    first = np.array(start)
    A, B, C = 1.0, 1.0, 0.0

    def newton(S: Any) -> Any:
        x = first
        for _ in range(rounds):
            F, J = linearize(S, x, degree)
            step = damped_step(J, F, damping)
            x = B * x + C * np.sum(J, axis=0) - A * step
        return x

    return newton


def newton_ls(start: Sequence[float], damping: float, degree: int, rounds: int = 3) -> Heuristic:
    """The same with a line search."""
    first = np.array(start)

    def newton_ls(S: Any) -> Any:
        x = first
        for _ in range(rounds):
            F, J = linearize(S, x, degree)
            step = damped_step(J, F, damping)
            candidates = np.stack([x - length * step for length in STEPS])
            x = candidates[smallest(np.array([np.sum(evaluate(S, y, degree) ** 2) for y in candidates]))]
        return x

    return newton_ls


def smallest(sizes: Any) -> Any:
    """The place of the smallest number; NaN is larger than any."""
    return np.argmin(np.fmin(sizes, np.inf))
