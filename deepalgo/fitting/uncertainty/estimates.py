"""`estimate`: standard errors, 95 % intervals and correlations of weights, from residuals and their derivatives.

As in any nonlinear regression: the noise is the sum of squares over the degrees of freedom, and the covariance is that of the linear
problem at the optimum (Bates and Watts, Nonlinear Regression Analysis, section 2.2). It is computed from a QR decomposition of scaled
derivatives, so that ill-conditioned problems keep their digits.

>>> x, roots = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.1, -0.1, -0.1, 0.1])
>>> found = estimate(["slope", "start"], np.array([2.0, 1.0]), roots, np.stack([x, np.ones(4)], 1))
>>> found["slope"].error, found["slope"].low < 2.0 < found["slope"].high
(0.0632..., True)
>>> found.strong
[('slope', 'start', -0.9128...)]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deepalgo.fitting.judge.distributions import fisher_tail, student_quantile
from deepalgo.fitting.uncertainty.residuals import Array, usable

#: Of derivatives with columns of length one: directions below this part of the strongest are rounding.
ROUNDING = 1e-11
#: Parts of a direction without which a weight takes no part in it.
NO_PART = 1e-6
#: Correlations of this size are worth a line.
STRONG = 0.9
#: A step to the optimum that is less likely than this by chance says that training has not come to its end.
UNLIKELY = 1e-3


@dataclass(frozen=True, slots=True)
class Estimate:
    """What data tell of one number: its value, its standard error, and where it lies with 95 %.

    `error` is infinite where data cannot tell the number from others, NaN where no residual has a derivative by it, or where there are
    no more residuals than weights.
    """

    label: str
    value: float
    error: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """What data tell of all numbers; `noise` is the residual standard deviation with so many degrees of `freedom`.

    `is_settled` says that the numbers are at the least sum of squares, as far as noise can tell. The intervals lie around that least
    sum, also of numbers that were put back.
    """

    labels: list[str]
    values: Array
    errors: Array
    lows: Array
    highs: Array
    correlations: Array
    noise: float
    freedom: int
    is_settled: bool

    def __iter__(self) -> Iterator[Estimate]:
        rows = zip(self.values.tolist(), self.errors.tolist(), self.lows.tolist(), self.highs.tolist(), strict=True)
        return (Estimate(label, *row) for label, row in zip(self.labels, rows, strict=True))

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, label: str) -> Estimate:
        for item in self:
            if item.label == label:
                return item
        raise KeyError(label)

    @property
    def strong(self) -> list[tuple[str, str, float]]:
        """Pairs of numbers with a strong correlation, the strongest first."""
        size = len(self)
        pairs = [(one, other, float(self.correlations[one, other])) for other in range(size) for one in range(other)]
        found = sorted((pair for pair in pairs if abs(pair[2]) >= STRONG), key=lambda pair: -abs(pair[2]))
        return [(self.labels[one], self.labels[other], part) for one, other, part in found]


@dataclass(frozen=True, slots=True)
class Expected:
    """What was known of some numbers before: they lie at certain places of the values, and each is a mean with a width."""

    places: NDArray[np.int64]
    means: Array
    widths: Array


def estimate(labels: Sequence[str], values: Array, roots: Array, jacobian: Array, expected: Expected | None = None) -> Estimates:
    """What residuals and their derivatives, one row for each, tell of the numbers; what is `expected` counts as a measurement."""
    keep = usable(roots, jacobian)
    roots, jacobian = roots[keep], jacobian[keep]
    noise = np.nan
    if expected is not None:
        freedom = len(roots) + len(expected.places) - int(jacobian.any(0).sum())
        noise = float(np.sqrt(roots @ roots / freedom)) if freedom > 0 else np.nan
        rows = noise * np.eye(len(values))[expected.places] / expected.widths[:, None]
        away = noise * (values[expected.places] - expected.means) / expected.widths
        roots, jacobian = np.r_[roots, away], np.vstack([jacobian, rows])
    sizes = np.linalg.norm(jacobian, axis=0)
    live = sizes > 0
    parts = decompose(jacobian[:, live] / sizes[live])
    rank = parts.basis.shape[1]
    freedom = len(roots) - rank
    if expected is None:
        noise = float(np.sqrt(roots @ roots / freedom)) if freedom > 0 else np.nan
    spread = np.zeros((len(values), rank))
    spread[live] = parts.inverse / sizes[live, None]
    lengths = np.linalg.norm(spread, axis=1)
    errors = np.where(live, noise * lengths, np.nan)
    errors[np.flatnonzero(live)[parts.unknown]] = np.inf
    aim = parts.basis.T @ roots
    share = float(aim @ aim) / (rank * noise**2) if rank and noise > 0 else 0.0
    is_settled = freedom > 0 and fisher_tail(share, rank, freedom) > UNLIKELY
    reach = student_quantile(0.975, freedom) * errors
    centre = values - spread @ aim if is_settled else values
    unit = spread / np.where(lengths > 0, lengths, 1.0)[:, None]
    correlations = unit @ unit.T
    hidden = ~np.isfinite(errors)
    correlations[hidden], correlations[:, hidden] = np.nan, np.nan
    return Estimates(list(labels), values, errors, centre - reach, centre + reach, correlations, noise, freedom, is_settled)


@dataclass(frozen=True, slots=True)
class Decomposed:
    """Derivatives in parts: `basis` spans what the determined directions do, and `inverse @ inverse.T` is the inverse of their products.

    `unknown` says which columns take part in the `null` directions, along which nothing changes, one a row.
    """

    basis: Array
    inverse: Array
    unknown: NDArray[np.bool_]
    null: Array


def decompose(scaled: Array) -> Decomposed:
    """By QR; where directions are undetermined, by the singular values that are more than rounding."""
    width = scaled.shape[1]
    if not width:
        return Decomposed(np.zeros((len(scaled), 0)), np.zeros((0, 0)), np.zeros(0, dtype=bool), np.zeros((0, 0)))
    basis, triangle = np.linalg.qr(scaled)
    left, strengths, directions = np.linalg.svd(triangle)
    rank = int((strengths > ROUNDING * strengths[0]).sum())
    if rank == width:
        return Decomposed(basis, np.linalg.solve(triangle, np.eye(width)), np.zeros(width, dtype=bool), directions[rank:])
    null = directions[rank:]
    return Decomposed(basis @ left[:, :rank], directions[:rank].T / strengths[:rank], np.abs(null).max(0) > NO_PART, null)
