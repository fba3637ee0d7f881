"""Derivatives by central differences, where they can be trusted.

A difference quotient is no oracle at a kink, at a jump, or where rounding drowns it: two step sizes must tell the same, and the second
difference must shrink as it does for a smooth function.

>>> slope([x**3 for x in around(2.0)], 2.0)
12.0...
>>> slope([abs(x) for x in around(0.0)], 0.0) is None
True
>>> slope([x - 1 for x in around(math.inf)], math.inf) is None
True
"""

from __future__ import annotations

import math
from collections.abc import Sequence

#: The wider step relative to the input.
STEP = 1e-4
#: What is smaller than this has fewer digits than a float, or none.
SMALLEST = 1e-307


def step(x: float, scale: float = 1.0) -> float:
    """The wider of the two steps, never 0: a part of a denormal number may be."""
    return scale * STEP * (max(abs(x), SMALLEST) if x else 1.0)


def around(x: float, scale: float = 1.0) -> list[float]:
    """The five points at which the function is asked."""
    return [x + k * step(x, scale) for k in (-1.0, -0.5, 0.0, 0.5, 1.0)]


def slope(values: Sequence[float], x: float, scale: float = 1.0) -> float | None:
    """The derivative at x from the values at `around(x)`, or None where it cannot be trusted."""
    if not all(map(math.isfinite, values)):
        return None
    low, left, middle, right, high = values
    h = step(x, scale)
    wide, narrow = (high - low) / (2 * h), (right - left) / h
    noise = rounding(values, x, scale)
    wide_bend, narrow_bend = abs(high - 2 * middle + low) / h, 2 * abs(right - 2 * middle + left) / h
    # The second difference halves with the step where the function is smooth, and stays at a kink.
    if narrow_bend > 0.75 * wide_bend and narrow_bend > 1e-6 * abs(narrow) + noise:
        return None
    if abs(wide - narrow) > 1e-4 * abs(narrow) + noise:
        return None
    found = (4 * narrow - wide) / 3
    return found if math.isfinite(found) else None


def rounding(values: Sequence[float], x: float, scale: float = 1.0) -> float:
    """How far the last digits of the values, after some computation, can move a difference quotient."""
    return (1e-13 * max(map(abs, values)) + SMALLEST) / step(x, scale)
