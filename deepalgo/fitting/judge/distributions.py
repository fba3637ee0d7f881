"""Student's t and Fisher's F: how far an estimate lies from the truth by chance, and what a sum of squares falls by chance.

>>> round(student_quantile(0.975, 10), 6), round(student_quantile(0.975, 1e9), 6)
(2.228139, 1.959964)
>>> round(fisher_tail(4.102821, 2, 10), 6)
0.05
"""

from __future__ import annotations

import functools
import math
from statistics import NormalDist

#: Terms of the continued fraction, and the part of it that a last one may change.
TERMS, SMALL = 10_000, 1e-15
#: With more degrees of freedom the first terms of the series are closer than rounding lets the steps come.
MANY = 1e5
#: Keeps denominators of the continued fraction from zero.
TINY = 1e-300


@functools.cache
def student_quantile(part: float, freedom: float) -> float:
    """The number below which so much of Student's distribution lies, for parts above a half; infinite without degrees of freedom."""
    if freedom <= 0:
        return math.inf
    found = _started(NormalDist().inv_cdf(part), freedom)
    if freedom > MANY:
        return found
    for _ in range(100):  # steps of Newton, which come from below where the density falls
        step = (part - student_part(found, freedom)) / _student_density(found, freedom)
        found += step
        if abs(step) <= 1e-13 * abs(found):
            break
    return found


def student_part(value: float, freedom: float) -> float:
    """The part of Student's distribution below a number that is not negative."""
    return 1 - 0.5 * incomplete_beta(freedom / 2, 0.5, freedom / (freedom + value * value))


def fisher_tail(value: float, above: float, below: float) -> float:
    """The part of Fisher's distribution beyond a number, for so many degrees of freedom above and below the line."""
    if not value > 0:
        return 1.0
    return incomplete_beta(below / 2, above / 2, below / (below + above * value))


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function, by the continued fraction of DLMF 8.17.22.

    >>> round(incomplete_beta(2.0, 3.0, 0.25), 12)
    0.26171875
    """
    if not 0 < x < 1:
        return min(max(x, 0.0), 1.0)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    return front / _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction by Lentz's method."""
    found, upper, lower = 1.0, 1.0, 0.0
    for term in range(1, TERMS):
        m = term // 2
        if term % 2:
            part = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            part = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        lower = 1 / _kept_from_zero(1 + part * lower)
        upper = _kept_from_zero(1 + part / upper)
        found *= upper * lower
        if abs(upper * lower - 1) < SMALL:
            break
    return found


def _kept_from_zero(number: float) -> float:
    return number if abs(number) > TINY else TINY


def _student_density(value: float, freedom: float) -> float:
    log = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(freedom * math.pi) / 2
    return math.exp(log - (freedom + 1) / 2 * math.log1p(value * value / freedom))


def _started(normal: float, freedom: float) -> float:
    """A number near Student's quantile, from the normal one: two terms of Cornish and Fisher's series."""
    return normal + (normal**3 + normal) / (4 * freedom) + (5 * normal**5 + 16 * normal**3 + 3 * normal) / (96 * freedom**2)
