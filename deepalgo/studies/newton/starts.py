"""Where Newton's method may begin: constants, affine functions of the coefficients, bounds of the roots, the best of several points.

A start is a number (for a system a point), or a function of the coefficients that gives one, which is compiled with the rest.

>>> S = np.array([1.0, -6.0, 11.0, -6.0])
>>> float(cauchy_bound(S)), float(fujiwara_bound(S)), [round(float(radius), 3) for radius in polygon_radii(S)]
(12.0, 12.0, [6.0, 1.833, 0.545])
>>> round(float(best_of(polygon_starts)(S)), 3), round(float(best_of(fixed(0.5, 2.9))(S)), 3)
(1.833, 2.9)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from deepalgo.studies.newton.polynomial import damped, slope
from deepalgo.studies.newton.system import columns, damped_step, linearize

#: A number, a point, or what makes one from the coefficients.
Start = Any
#: Stands for a coefficient that is zero, whose logarithm there is none of.
TINY = 1e-300


def begin(start: Start, S: Any) -> Any:
    """The first iterate."""
    return start(S) if callable(start) else start


def affine(base: Any, gamma: Any) -> Callable[[Any], Any]:
    """A start that is affine in the coefficients: both parts are weights.

    >>> float(affine(1.0, np.array([0.0, 0.5]))(np.array([3.0, 4.0])))
    3.0
    """

    def start(S: Any) -> Any:
        return base + gamma @ S.reshape(-1)

    return start


def cauchy_bound(S: Any) -> Any:
    """No root is larger than this: 1 + max |a_k / a_0| (Cauchy)."""
    return 1 + max(abs(c / S[0]) for c in S[1:])


def fujiwara_bound(S: Any) -> Any:
    """No root is larger than this: twice the largest |a_k / a_0|^(1/k), the last one halved (Fujiwara).

    >>> fujiwara_bound([1.0, -3.0, 2.0])
    6.0
    """
    degree = len(S) - 1
    return 2 * max(abs(c / S[0] / (2 if k == degree else 1)) ** (1 / k) for k, c in enumerate(S[1:], start=1))


def polygon_radii(S: Any) -> list[Any]:
    """Bini's radii: the slopes of the upper convex hull of the logarithms of |coefficients|, one for each root.

    The slope over an interval is a minimum, over the points to its left, of maxima over the points to its right; the maxima are running
    ones, from the right.

    >>> [round(float(radius), 6) for radius in polygon_radii(np.array([1.0, 0.0, 0.0, -8.0]))]
    [2.0, 2.0, 2.0]
    """
    degree = len(S) - 1
    height = [np.log(abs(c) + TINY) for c in S]
    steepest = [_steepest_from(height, left) for left in range(degree)]
    return [np.exp(min(steepest[left][k - left] for left in range(k + 1))) for k in range(degree)]


def _steepest_from(height: list[Any], left: int) -> list[Any]:
    """For each later interval the largest slope from one point to those on the right of the interval."""
    found: list[Any] = []
    for right in range(len(height) - 1, left, -1):
        slope = (height[right] - height[left]) / (right - left)
        found.append(slope if not found else max(slope, found[-1]))
    return found[::-1]


def polygon_radii_at_once(S: Any) -> Any:
    """The same as an array, computed with arrays.

    >>> polygon_radii_at_once(np.array([1.0, 0.0, 0.0, -8.0])).round(6).tolist()
    [2.0, 2.0, 2.0]
    """
    degree = len(S) - 1
    points, intervals = np.arange(degree + 1), np.arange(degree)
    gaps = points[None, :] - points[:, None]
    height = np.log(abs(S) + TINY)
    slopes = (height[None, :] - height[:, None]) / np.where(gaps == 0, 1, gaps)
    steepest = np.max(np.where(points > intervals[:, None, None], slopes, -np.inf), axis=-1)
    return np.exp(np.min(np.where(points <= intervals[:, None], steepest, np.inf), axis=-1))


def polygon_starts(S: Any) -> list[Any]:
    """Bini's radii at both signs."""
    return [sign * radius for radius in polygon_radii(S) for sign in (1, -1)]


def fixed(*starts: Any) -> Callable[[Any], Sequence[Any]]:
    """The same candidates for every system."""
    return lambda S: starts


def best_of(candidates: Callable[[Any], Sequence[Any]], damping: float = TINY) -> Callable[[Any], Any]:
    """Of several starts the one whose Newton correction, relative to its size, is smallest; in one variable."""

    def start(S: Any) -> Any:
        x = np.stack(candidates(S))
        p, dp = slope(S, x)
        return x[smallest(abs(damped(p, dp, damping)) / (1 + abs(x)))]

    return start


def best_point_of(candidates: Callable[[Any], Sequence[Any]], degree: int, damping: float = 1e-24) -> Callable[[Any], Any]:
    """The same for systems.

    >>> circle_and_line = np.array([[1.0, 0.0, 0.0, 1.0, 0.0, -1.0], [0.0, 0.0, 1.0, 0.0, -1.0, 0.0]])
    >>> best_point_of(fixed([3.0, 0.0], [0.7, 0.6]), 2)(circle_and_line).tolist()
    [0.7, 0.6]
    """

    def start(S: Any) -> Any:
        x = np.stack(candidates(S))
        F, J = linearize(S, columns(x), degree)
        corrections = np.sum(abs(damped_step(J, F, damping)) ** 2, axis=-1) / (1 + np.sum(abs(x) ** 2, axis=-1))
        return x[smallest(corrections)]

    return start


def smallest(sizes: Any) -> Any:
    """The place of the smallest number; NaN is larger than any."""
    return np.argmin(np.fmin(sizes, np.inf))
