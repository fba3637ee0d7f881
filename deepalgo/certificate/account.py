"""`Account`: derivatives of a network against difference quotients of the function: how many agree, how many cannot be compared.

>>> account = Account()
>>> account.compare(12.0, [x**3 for x in around(2.0)], 2.0, lambda difference, expected: False)
>>> account.compare(1.0, [abs(x) for x in around(0.0)], 0.0, lambda difference, expected: False)
>>> account.compared, account.skipped
(1, 1)
>>> account.compare(11.0, [x**3 for x in around(2.0)], 2.0, lambda difference, expected: False)
12.0...
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from deepalgo.certificate.slopes import SMALLEST, around, rounding, slope, step

#: A derivative may differ from a trusted difference quotient by so much of it.
RTOL = 1e-5

#: All outputs at some points, or None where the function takes another path at one of them.
Points: TypeAlias = Callable[[Sequence[float]], list[list[float]] | None]


@dataclass(slots=True)
class Account:
    """How many derivatives were compared and how many could not be; the largest difference, relative."""

    compared: int = 0
    skipped: int = 0
    largest: float = 0.0

    def compare(
        self, got: float, values: Sequence[float] | None, x: float, doubt: Callable[[float, float], bool], inputs: Sequence[Any] = ()
    ) -> float | None:
        """What the derivative should have been if it is wrong. `doubt` looks again at one that disagrees; `inputs` are the sample's."""
        expected = None if values is None else slope(values, x)
        if values is None or expected is None or _is_out_of_range(got, inputs):
            self.skipped += 1
            return None
        difference, noise = abs(got - expected), rounding(values, x)
        if not difference <= RTOL * abs(expected) + noise:
            if not _is_absorbed(values, difference, x, inputs) and not doubt(difference, expected):
                return expected
            self.skipped += 1
            return None
        self.compared += 1
        if abs(expected) > noise / RTOL:
            self.largest = max(self.largest, difference / abs(expected))
        return None


def are_finite(*numbers: Any) -> bool:
    """Whether a derivative has to be a number: at or towards infinities and NaN it may be none.

    >>> are_finite(1.0, np.ones(2)), are_finite(1.0, np.array([0.0, np.nan]))
    (True, False)
    """
    return all(bool(np.all(np.isfinite(number))) for number in numbers)


def is_no_oracle(points: Points, x: float, output: int, difference: float, expected: float) -> bool:
    """Look again at a quotient that disagrees: the function may be rough, or periodic with less than the step."""
    near = points([x * (1 + k * 2e-15) for k in range(-4, 5)])
    if near is None:
        return True
    roughness = max(row[output] for row in near) - min(row[output] for row in near)
    if difference <= 4 * roughness / step(x):
        return True
    for scale in (0.037, 0.0013):  # no simple fractions of the first step
        found = points(around(x, scale))
        values = None if found is None else [row[output] for row in found]
        closer = None if values is None else slope(values, x, scale)
        if values is None or closer is None or abs(closer - expected) > max(difference / 10, 4 * rounding(values, x, scale)):
            return True
    return False


def _is_absorbed(values: Sequence[float], difference: float, x: float, inputs: Sequence[Any]) -> bool:
    """Whether the move may be lost in rounding on the function's way, beside the answer or a large input."""
    largest = max([1.0, abs(values[0]), *(float(np.max(np.abs(item), initial=0.0)) for item in inputs)])
    return difference * step(x) <= 1e-15 * largest


def _is_out_of_range(got: float, inputs: Sequence[Any]) -> bool:
    """Whether a derivative is too large for a float beside an input that is nearly too small or too large for one."""
    sizes = np.abs(np.concatenate([[1.0], *(np.ravel(item).astype(float) for item in inputs)]))
    return math.isinf(got) and bool(np.any((sizes > 0) & ((sizes < SMALLEST) | (sizes > 1 / SMALLEST))))
