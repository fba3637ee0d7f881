"""Newton's method as people write it: a start, a fixed number of rounds, a damped step, with a line search or without.

>>> root = newton_1d(start=1.0, damping=1e-12, rounds=5)
>>> round(float(root(np.array([1.0, 0.0, -2.0]))), 6)
1.414214
>>> meet = newton(start=(1.0, 0.5), damping=1e-12, degree=2, rounds=5)
>>> meet(np.array([[1.0, 0.0, 0.0, 1.0, 0.0, -1.0], [0.0, 0.0, 1.0, 0.0, -1.0, 0.0]])).round(6)
array([0.707107, 0.707107])

Each function here makes a heuristic: an ordinary Python function of the coefficients `S`, which `deepalgo.compile` takes as it stands. A
start is a number or a point, or a function of the coefficients (`deepalgo.newton.starts`). Complex coefficients and starts lead to
complex roots:

>>> imaginary = newton_1d(start=1.0 + 1.0j, damping=1e-12, rounds=6)(np.array([1.0, 0.0, 1.0]))
>>> bool(abs(imaginary - 1.0j) < 1e-9)
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.studies.newton.polynomial import damped, horner, slope, value
from deepalgo.studies.newton.starts import Start, begin, smallest
from deepalgo.studies.newton.system import curve, damped_step, evaluate, linearize

Heuristic = Callable[[Any], Any]
#: A base step and the derivative, from the coefficients, the iterate and the damping.
Step = Callable[..., tuple[Any, Any]]

#: The step lengths among which the line search of the paper chooses.
STEPS = (0.5, 1.0, 1.5)


def newton_step_1d(S: Any, x: Any, damping: float) -> tuple[Any, Any]:
    """Newton's step for one polynomial, and its derivative."""
    p, dp = slope(S, x)
    return damped(p, dp, damping), dp


def halley_step_1d(S: Any, x: Any, damping: float) -> tuple[Any, Any]:
    """Halley's step, of third order."""
    p, dp, ddp = horner(S, x)
    return damped(p * dp, dp * dp - p * ddp, damping), dp


def newton_step(S: Any, x: Any, damping: float, degree: int) -> tuple[Any, Any]:
    """Newton's step for a system, and the Jacobian."""
    F, J = linearize(S, x, degree)
    return damped_step(J, F, damping), J


def chebyshev_step(S: Any, x: Any, damping: float, degree: int) -> tuple[Any, Any]:
    """Chebyshev's step, of third order: Newton's, corrected by the curvature along it."""
    F, J = linearize(S, x, degree)
    step = damped_step(J, F, damping)
    return step + damped_step(J, curve(S, x, step, degree), damping), J


def newton_1d(start: Start, damping: float, rounds: int = 3, base: Step = newton_step_1d) -> Heuristic:
    """Newton's method for one polynomial in one variable, with the factors of the paper's layer at their trivial values."""
    A, B, C = 1.0, 1.0, 0.0

    def newton(S: Any) -> Any:
        x = begin(start, S)
        for _ in range(rounds):
            step, dp = base(S, x, damping)
            kept = B * x
            x = kept + C * dp - A * step
        return x

    return newton


def newton_ls_1d(start: Start, damping: float, rounds: int = 3, base: Step = newton_step_1d) -> Heuristic:
    """The same with a line search: of the candidates of a round that with the smallest |p| is the next iterate."""

    def newton_ls(S: Any) -> Any:
        x = begin(start, S)
        for _ in range(rounds):
            step, _ = base(S, x, damping)
            candidates = np.stack([x - length * step for length in STEPS])
            x = candidates[smallest(abs(value(S, candidates)))]
        return x

    return newton_ls


def newton(start: Start, damping: float, degree: int, rounds: int = 3, base: Step = newton_step) -> Heuristic:
    """Newton's method for a system, with a damped generalised inverse of the Jacobian."""
    first = start if callable(start) else np.array(start)
    A, B, C = 1.0, 1.0, 0.0

    def newton(S: Any) -> Any:
        x = begin(first, S)
        for _ in range(rounds):
            step, J = base(S, x, damping, degree)
            gradient, kept = np.sum(J, axis=0), B * x
            x = kept + C * gradient - A * step
        return x

    return newton


def newton_ls(start: Start, damping: float, degree: int, rounds: int = 3, base: Step = newton_step) -> Heuristic:
    """The same with a line search."""
    first = start if callable(start) else np.array(start)

    def newton_ls(S: Any) -> Any:
        x = begin(first, S)
        for _ in range(rounds):
            step, _ = base(S, x, damping, degree)
            candidates = np.stack([x - length * step for length in STEPS])
            x = candidates[smallest(np.array([np.sum(abs(evaluate(S, y, degree)) ** 2) for y in candidates]))]
        return x

    return newton_ls
