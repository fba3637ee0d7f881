"""A real root of one polynomial in a fixed and small number of operations: two charts, several starts, two steps of Halley and one of
Newton.

Every root lies within the unit circle in one of the charts x and 1/x, where the coefficients stand in reverse order. Starts are tried
at +t and -t together: the even and the odd part of a polynomial, both polynomials in t*t, give its values at both. The start
whose Newton correction is smallest wins. `scaled_root` is for polynomials whose first and last coefficients differ much in size.

>>> round(float(real_root(np.array([1.0, -6.0, 11.0, -6.0]))), 9) in (1.0, 2.0, 3.0)
True
>>> abs(scaled_root(np.array([1e-12, 0.0, 0.0, -8e12])) - 2e8) < 1e-6
np.True_
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deepalgo.studies.newton.polynomial import horner, slope

#: Where the charts are searched, at both signs: found by random search on polynomials of degree five and six.
STARTS = (0.141, 0.389, 0.681, 0.907)
#: Keeps Halley's step finite where its denominator vanishes.
TINY = 1e-300


def real_root(S: Any) -> Any:
    """A real root of the polynomial `S`; where it has none, a point at which it is small."""
    a = list(S)
    x, is_inverse = best_start(a)
    c = [last if is_inverse else first for first, last in zip(a, a[::-1], strict=True)]
    for _ in range(2):
        p, dp, ddp = horner(c, x)
        below = dp * dp - p * ddp
        x = x - p * dp * below / (below * below + TINY)
    p, dp = slope(c, x)
    x = x - p * dp / (dp * dp + TINY)
    return 1 / x if is_inverse else x


def scaled_root(S: Any) -> Any:
    """The same in a variable in which the first and the last coefficient are of one size."""
    degree = len(S) - 1
    first, last = abs(S[0]), abs(S[degree])
    scale = (last / first) ** (1 / degree) if first * last > 0 else np.float64(1)
    scaled, power = [], np.float64(1)
    for c in S[::-1]:
        scaled.append(c * power)
        power = power * scale
    return scale * real_root(scaled[::-1])


def best_start(a: list[Any]) -> tuple[Any, Any]:
    """The start, of all signs and in both charts, with the smallest Newton correction |p / p'|; and whether it is in the chart 1/x."""
    x: Any = np.float64(0)
    size, steepness, is_inverse = np.float64(1), np.float64(0), False
    for t in STARTS:
        for inverse, chart in ((False, a), (True, a[::-1])):
            even, odd, even_slope, odd_slope = parts(chart, t)
            for sign in (1, -1):
                p, dp = abs(even + sign * odd), abs(odd_slope + sign * even_slope)
                if p * steepness < size * dp:
                    x, size, steepness, is_inverse = sign * t, p, dp, inverse
    return x, is_inverse


def parts(chart: Any, t: Any) -> tuple[Any, Any, Any, Any]:
    """The even and the odd part of a polynomial at `t`, and their derivatives: odd and even in turn."""
    even, even_slope = slope(chart[(len(chart) - 1) % 2 :: 2], t * t)
    odd, odd_slope = slope(chart[len(chart) % 2 :: 2], t * t)
    return even, t * odd, 2 * t * even_slope, odd + 2 * t * t * odd_slope
