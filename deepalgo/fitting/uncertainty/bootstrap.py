"""`bootstrap`: how much weights differ between fits to samples that are drawn with replacement.

It takes nothing for granted of the noise: where that differs from sample to sample, or samples of one group (a site, a day) have errors
in common, standard errors by derivatives are too small, and those of a bootstrap over groups are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepalgo.errors import InputError
from deepalgo.fitting.judge.distributions import student_quantile
from deepalgo.fitting.uncertainty.refine import refine
from deepalgo.fitting.uncertainty.residuals import Array, Residuals

#: Fits to draws end when a step promises to lower the sum by less than this part: they differ by far more.
ENOUGH = 1e-8


@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap:
    """Numbers fitted to each draw, one draw a row; their standard errors, 95 % intervals and correlations.

    The intervals are those of Student's distribution with one degree of freedom less than there are groups.
    """

    labels: list[str]
    values: Array
    draws: Array
    errors: Array
    lows: Array
    highs: Array
    correlations: Array
    groups: int

    def __str__(self) -> str:
        rows = zip(self.labels, self.values, self.errors, self.lows, self.highs, strict=True)
        lines = [f"{label} = {value:.6g} ± {error:.3g}, 95 % interval {low:.6g} .. {high:.6g}" for label, value, error, low, high in rows]
        return "\n".join([*lines, f"by {len(self.draws)} draws of {self.groups} groups"])


def bootstrap(residuals: Residuals, values: Array, count: int, groups: Any, seed: int) -> Bootstrap:
    """Fit to `count` draws of groups, those of the samples if no others are given, or of samples if these have none."""
    samples = residuals.samples
    numbers = _numbers(groups if groups is not None or samples.groups is None else samples.groups.numpy(), samples.size)
    every = np.ones(len(values), dtype=bool)
    best = refine(residuals.at, values, every)
    random = np.random.default_rng(seed)
    many, draws = int(numbers.max()) + 1, []
    if many < 2:
        raise InputError("one group cannot be drawn in several ways: a bootstrap needs at least two")
    owners = residuals.owners(len(best.roots))
    for _ in range(count):
        times = np.bincount(random.integers(many, size=many), minlength=many).astype(float)
        draws.append(refine(residuals.at, best.values, every, parts=times[numbers[owners]], enough=ENOUGH).values)
    table = np.array(draws)
    errors = table.std(0, ddof=1) * (many / (many - 1)) ** 0.5
    reach = student_quantile(0.975, many - 1) * errors
    moving = errors > 0
    correlations = np.full((len(values), len(values)), np.nan)
    correlations[np.ix_(moving, moving)] = np.atleast_2d(np.corrcoef(table[:, moving].T))
    return Bootstrap(residuals.labels, best.values, table, errors, best.values - reach, best.values + reach, correlations, many)


def _numbers(groups: Any, samples: int) -> NDArray[np.int64]:
    """The group of each sample, counted from 0."""
    if groups is None:
        return np.arange(samples)
    names: Sequence[Any] | NDArray[Any] = np.asarray(groups)
    if len(names) != samples:
        raise InputError(f"groups names {len(names)} samples, but {samples} were used for training")
    return np.unique(names, return_inverse=True)[1].reshape(-1)
