"""Newton's method from several starts at once, with higher-order candidates beside the line search.

Each round makes candidates for every chain: Newton's step with the lengths of the line search, a step of third order (Halley's in one
variable, Chebyshev's in several), and in one variable the step to a turning point, where a polynomial without a real root is smallest. In
each chain the candidate with the smallest |F| goes on; at the end the best chain answers. Newton with line search from its own
start runs beside the chains and answers where they do worse.

>>> from deepalgo.newton.heuristics import newton_ls_1d
>>> find = multistart_1d(starts=(-1.0, 1.0, 3.0), coefficients=4, plain=newton_ls_1d(start=1.0, damping=1e-12))
>>> round(float(find(np.array([1.0, -6.0, 11.0, -6.0]))), 9) in (1.0, 2.0, 3.0)
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deepalgo.studies.newton.heuristics import STEPS, Heuristic
from deepalgo.studies.newton.polynomial import damped, horner, value
from deepalgo.studies.newton.starts import smallest
from deepalgo.studies.newton.system import columns, curve, damped_step, evaluate, linearize, squares

#: What keeps divisions finite at J = 0; too small to be seen anywhere else.
TINY = 1e-24


def multistart_1d(starts: Sequence[float], coefficients: int, plain: Heuristic, damping: float = TINY, rounds: int = 3) -> Heuristic:
    """For one polynomial; the starts are affine in its coefficients, by weights `gamma` that are zero at birth."""
    base, gamma = np.array(starts), np.zeros((len(starts), coefficients))
    A, H, T = np.array(STEPS), 1.0, 1.0

    def multistart(S: Any) -> Any:
        x = base + gamma @ S
        for _ in range(rounds):
            p, dp, ddp = horner(S, x)
            newton = damped(p, dp, damping)
            halley = damped(p * dp, dp * dp - p * ddp, damping)
            turn = damped(dp, 2 * ddp, damping)
            candidates = np.stack([x - length * newton for length in A] + [x - H * halley, x - T * turn])
            x = best_of_each(candidates, abs(value(S, candidates)))
        answers = np.append(x, plain(S))
        return answers[smallest(abs(value(S, answers)))]

    return multistart


def multistart(
    starts: Sequence[Sequence[float]], equations: int, monomials: int, degree: int, plain: Heuristic, damping: float, rounds: int = 3
) -> Heuristic:
    """For a system; the starts are affine in all of its coefficients."""
    base = np.array(starts)
    count, variables = base.shape
    gamma = np.zeros((count, variables, equations * monomials))
    A, H = np.array(STEPS), 1.0

    def multistart(S: Any) -> Any:
        x = base + gamma @ S.reshape(-1)
        for _ in range(rounds):
            F, J = linearize(S, columns(x), degree)
            newton = damped_step(J, F, damping)
            chebyshev = newton + damped_step(J, curve(S, columns(x), columns(newton), degree), damping)
            candidates = np.stack([x - length * newton for length in A] + [x - H * chebyshev])
            x = best_of_each(candidates, squares(S, candidates, degree))
        answers = np.stack([*x, plain(S)])
        return answers[smallest(squares(S, answers, degree))]

    return multistart


def one_by_one(
    starts: Sequence[Sequence[float]], equations: int, monomials: int, degree: int, plain: Heuristic, damping: float, rounds: int = 3
) -> Heuristic:
    """The same chain after chain, with the same weights and answers: the form for one system at a time, which runs as a compiled loop."""
    base = np.array(starts)
    count, variables = base.shape
    gamma = np.zeros((count, variables, equations * monomials))
    A, H = np.array(STEPS), 1.0

    def multistart(S: Any) -> Any:
        best, least = row(base, 0), np.inf
        for k in range(count):
            x = row(base, k) + row(gamma, k) @ S.reshape(-1)
            for _ in range(rounds):
                F, J = linearize(S, x, degree)
                newton = damped_step(J, F, damping)
                chebyshev = newton + damped_step(J, curve(S, x, newton, degree), damping)
                candidates = np.stack([x - length * newton for length in A] + [x - H * chebyshev])
                x = candidates[smallest(np.array([square(S, y, degree) for y in candidates]))]
            size = square(S, x, degree)
            if size < least:
                best, least = x, size
        last = plain(S)
        return last if square(S, last, degree) < least else best

    return multistart


def row(table: Any, k: Any) -> Any:
    """A row of a table, looked up: so the loop over the rows stays a loop, where `table[k]` would be written out round by round."""
    return table[np.array([k])][0]


def square(S: Any, x: Any, degree: int) -> Any:
    """The sum of squares of |F| at one point."""
    F = abs(evaluate(S, x, degree))
    return np.sum(F * F)


def best_of_each(candidates: Any, sizes: Any) -> Any:
    """In each chain the candidate with the smallest size; the candidates stand along the first axis."""
    best = np.argmin(np.fmin(sizes, np.inf), axis=0)
    return candidates[best, np.arange(len(best))]
