"""`profile`: where a number can lie, with all others fitted again at each place.

The interval of standard errors takes the problem for a linear one. A profile does not: it ends where the sum of squares, made as small
as it can be with that number, is beyond noise (Bates and Watts, Nonlinear Regression Analysis, section 6.1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from deepalgo.errors import InputError
from deepalgo.fitting.judge.distributions import student_quantile
from deepalgo.fitting.uncertainty.estimates import estimate
from deepalgo.fitting.uncertainty.refine import Refined, refine
from deepalgo.fitting.uncertainty.residuals import Array, Residuals

#: The steps to the end of the interval that the standard error suggests, and how many there are at most to each side.
STEPS, MOST = 8, 60
#: How close the ends are found, and the part of what is left that every step takes away.
CLOSE, LEAST = 1e-6, 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """The 95 % interval of a number; an end is infinite where data set no bound.

    `places` are the numbers that were tried, in order, and `squares` the least sums of squares with them; `value` is the best.
    """

    label: str
    value: float
    low: float
    high: float
    places: Array
    squares: Array

    def __str__(self) -> str:
        return f"{self.label} = {self.value:.6g}, 95 % interval {self.low:.6g} .. {self.high:.6g} by its profile"


def profile(residuals: Residuals, values: Array, place: int) -> Profile:
    """The profile of the number at a place of `values`."""
    best = refine(residuals.at, values, np.ones(len(values), dtype=bool))
    found = estimate(residuals.labels, best.values, best.roots, best.jacobian)
    label, error = residuals.labels[place], found.errors[place]
    if found.freedom <= 0 or not math.isfinite(error) or not best.squares > 0:
        raise InputError(f"there is no profile of '{label}': {_reason(found.freedom, error)}")
    allowed = best.squares * (1 + student_quantile(0.975, found.freedom) ** 2 / found.freedom)
    width = (found.highs[place] - found.lows[place]) / 2
    walks = [_Walk(residuals, place, allowed, best).to(side * width / STEPS) for side in (-1, 1)]
    tried = sorted([(float(best.values[place]), best.squares), *walks[0].tried, *walks[1].tried])
    places, squares = np.array(tried).T
    return Profile(label, float(best.values[place]), walks[0].end, walks[1].end, places, squares)


def _reason(freedom: int, error: float) -> str:
    if freedom <= 0:
        return "there are no more residuals than weights"
    if math.isnan(error):
        return "no residual has a derivative by it"
    return "data cannot tell it from other weights" if math.isinf(error) else "nothing is left of the error"


class _Walk:
    """One side of a profile."""

    def __init__(self, residuals: Residuals, place: int, allowed: float, best: Refined) -> None:
        self.residuals, self.place, self.allowed, self.best = residuals, place, allowed, best
        self.free = np.arange(len(best.values)) != place
        self.tried: list[tuple[float, float]] = []
        self.end = math.inf

    def to(self, step: float) -> _Walk:
        """Go on until the sum of squares is too large, and then find where it becomes so; steps grow where it rises slowly."""
        inner, before = self.best, self.best
        self.end = math.copysign(math.inf, step)
        for number in range(MOST):
            outer = self._at(inner, 2 * inner.values - before.values, float(inner.values[self.place]) + step)
            if not outer.squares <= self.allowed:
                self.end = self._between(inner, outer)
                break
            before, inner = inner, outer
            step *= 1.5 if number >= STEPS else 1.0
        return self

    def _between(self, inner: Refined, outer: Refined) -> float:
        """Where the sum of squares is what is allowed: its root grows almost evenly with the distance from the best."""
        aim = self._height(self.allowed)
        while True:
            low, high = float(inner.values[self.place]), float(outer.values[self.place])
            below, above = self._height(inner.squares), self._height(outer.squares)
            if aim - below <= CLOSE * aim or abs(high - low) <= CLOSE * abs(high - self.best.values[self.place]):
                return low
            part = (aim - below) / (above - below) if math.isfinite(above) else 0.5
            middle = self._at(inner, inner.values, low + min(max(part, LEAST), 1 - LEAST) * (high - low))
            if middle.squares <= self.allowed:
                inner = middle
            else:
                outer = middle

    def _height(self, squares: float) -> float:
        return math.sqrt(max(squares / self.best.squares - 1, 0.0))

    def _at(self, near: Refined, guess: Array, number: float) -> Refined:
        """The least sum of squares with this number, from a guess or from the last point if that leads further down."""
        ends = []
        for start in (guess, near.values):
            values = start.copy()
            values[self.place] = number
            ends.append(refine(self.residuals.at, values, self.free))
            if ends[-1].squares <= self.allowed:
                break
        found = min(ends, key=lambda end: end.squares)
        if np.isfinite(found.squares):
            self.tried.append((number, found.squares))
        return found
