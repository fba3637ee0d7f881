"""The five set-ups in which DeepNewton is measured.

The supplement of the paper, with its starts, distributions and metrics, cannot be had. These are reconstructions: the set-ups, among
many that were tried, in which untrained Newton and Newton with line search come closest to the figures of the paper.

>>> task = TASKS["fifth-root"]
>>> S = task.draw(np.random.default_rng(0), 2)
>>> S.shape
(2, 6)
>>> task.roots(S)[:, 0] ** 5 + S[:, -1] < 1e-9
array([ True,  True])
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from deepalgo.studies.newton.polynomial import value
from deepalgo.studies.newton.system import evaluate, monomials

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Task:
    """A distribution of systems, the start and the damping of Newton's method there, and what the paper reports."""

    name: str
    variables: int
    degree: int
    start: tuple[float, ...]
    damping: float
    draw: Callable[[np.random.Generator, int], Array]
    paper: tuple[float | None, float, float]  #: Newton, Newton with line search, trained
    metric: str  #: what the ratio of trained to untrained is taken of
    beyond: Callable[[np.random.Generator, int], Array]  #: systems outside of the range that `draw` covers
    starts: tuple[tuple[float, ...], ...]  #: where several chains begin
    light: float = 0.0  #: the damping of these chains
    practice: Callable[[np.random.Generator, int], Array] | None = None  #: what training draws, if not the same

    def roots(self, S: Array) -> Array:
        """The real root of x^n = s."""
        return (-S[:, -1:]) ** (1 / self.degree)

    def residual(self, x: Array, S: Array) -> Array:
        """The sum of squares of F at `x`, for each system."""
        if self.variables == 1:
            return np.asarray(value(S.T, x) ** 2)
        F = evaluate(np.moveaxis(S, 0, -1), list(x.T), self.degree)
        return np.asarray((F**2).sum(axis=0))

    def figures(self, x: Array, S: Array) -> dict[str, float]:
        """Every metric that the paper's `MSE` may have been, of one batch of answers."""
        squares = self.residual(x, S)
        figures = {"residual": float(squares.mean())}
        if self.metric == "root MSE":
            error = np.abs(x - self.roots(S)[:, 0])
            figures |= {"root MSE": float((error**2).mean()), "mean |error|": float(error.mean())}
        elif self.metric == "above floor":
            roots = companion_roots(S)
            distance = np.abs(x[:, None] - roots).min(axis=1)
            figures |= {"above floor": float((squares - least_square(S)).mean()), "to nearest root": float((distance**2).mean())}
        return figures


def companion_roots(S: Array) -> NDArray[np.complex128]:
    """All roots of a batch of polynomials whose highest coefficient is not zero."""
    degree = S.shape[1] - 1
    companion = np.zeros((len(S), degree, degree))
    companion[:, 0, :] = -S[:, 1:] / S[:, :1]
    companion[:, np.arange(1, degree), np.arange(degree - 1)] = 1.0
    return np.asarray(np.linalg.eigvals(companion), dtype=np.complex128)


def least_square(S: Array) -> Array:
    """The least value of p(x)^2 over real x: no real answer has a smaller residual."""
    roots, turns = companion_roots(S), companion_roots(S[:, :-1] * np.arange(S.shape[1] - 1, 0, -1))
    real = (np.abs(roots.imag) < 1e-7).any(axis=1)
    level = np.where(np.abs(turns.imag) < 1e-7, value(S.T[:, :, None], turns.real) ** 2, np.inf).min(axis=1)
    return np.where(real, 0.0, level)


def _power(degree: int, low: float, high: float, bend: int = 1) -> Callable[[np.random.Generator, int], Array]:
    """x^degree - s with s uniform, or, for a bend above one, more often small, where roots are steep."""

    def draw(rng: np.random.Generator, count: int) -> Array:
        S = np.zeros((count, degree + 1))
        S[:, 0], S[:, -1] = 1.0, -(low + (high - low) * rng.uniform(size=count) ** bend)
        return S

    return draw


def _monic(half_width: float) -> Callable[[np.random.Generator, int], Array]:
    """Monic polynomials of degree six."""

    def draw(rng: np.random.Generator, count: int) -> Array:
        S = rng.uniform(-half_width, half_width, (count, 7))
        S[:, 0] = 1.0
        return S

    return draw


def _gaussian(scale: float) -> Callable[[np.random.Generator, int], Array]:
    """Two polynomials of degree three in two variables."""
    return lambda rng, count: scale * rng.standard_normal((count, 2, 10))


def _planted(half_width: float, reach: float) -> Callable[[np.random.Generator, int], Array]:
    """The same with a root in the square of that reach."""

    def draw(rng: np.random.Generator, count: int) -> Array:
        S = rng.uniform(-half_width, half_width, (count, 2, 10))
        return plant(S, rng.uniform(-reach, reach, (count, 2)), 3)

    return draw


def plant(S: Array, roots: Array, degree: int) -> Array:
    """The systems with their constant terms changed such that they vanish at the roots."""
    S = S.copy()
    S[:, :, -1] = 0.0
    S[:, :, -1] = -evaluate(np.moveaxis(S, 0, -1), list(roots.T), degree).T
    assert S.shape[2] == len(monomials(roots.shape[1], degree))
    return S


def _line(*starts: float) -> tuple[tuple[float, ...], ...]:
    return tuple((start,) for start in starts)


def _grid(*starts: float) -> tuple[tuple[float, ...], ...]:
    return tuple(product(starts, starts))


_ALL = (
    Task(
        "square-root",
        1,
        2,
        (1.0,),
        1e-12,
        _power(2, 0.0, 50.0),
        (0.7658, 0.0195, 0.0070),
        "root MSE",
        _power(2, 50.0, 200.0),
        _line(0.3, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0),
        practice=_power(2, 0.0, 50.0, 2),
    ),
    Task(
        "fifth-root",
        1,
        5,
        (1.0,),
        1e-12,
        _power(5, 0.0, 50.0),
        (2.2511, 0.1286, 0.0560),
        "root MSE",
        _power(5, 50.0, 200.0),
        _line(0.5, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.1),
        practice=_power(5, 0.0, 50.0, 2),
    ),
    Task(
        "1D-poly P1",
        1,
        6,
        (1.0,),
        0.1,
        _monic(0.1),
        (0.0588, 0.0699, 0.0287),
        "above floor",
        _monic(0.5),
        _line(-0.9, -0.6, -0.3, -0.1, 0.1, 0.3, 0.6, 0.9),
    ),
    Task(
        "2D-poly T1",
        2,
        3,
        (0.0, 0.0),
        0.01,
        _gaussian(0.2),
        (None, 0.0331, 0.0225),
        "residual",
        _gaussian(0.6),
        _grid(-1.5, -0.5, 0.5, 1.5),
        0.01,
    ),
    Task(
        "2D-poly T3",
        2,
        3,
        (0.5, 0.5),
        0.01,
        _planted(0.4, 1.0),
        (None, 0.0331, 0.0225),
        "residual",
        _planted(0.4, 2.0),
        _grid(-0.9, -0.3, 0.3, 0.9),
        1e-4,
    ),
)
#: The tasks by name, in the order of the paper's table.
TASKS: dict[str, Task] = {task.name: task for task in _ALL}
