"""`math.gamma` and `math.lgamma` as CPython computes them: Lanczos' sum, with the reflection of negative numbers.

The steps and the coefficients are those of `Modules/mathmodule.c`. Where Python raises, the result is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from deepalgo.backends.native.own_functions import call_own
from deepalgo.backends.native.real_steps import RealSteps
from deepalgo.backends.native.text import Cell, literal
from deepalgo.kinds import Kind

if TYPE_CHECKING:
    from deepalgo.backends.native.numbers import NumberForms

REAL, INT = Kind.REAL, Kind.INT
NUMERATOR = (
    23531376880.410759688572007674451636754734846804940, 42919803642.649098768957899047001988850926355848959,
    35711959237.355668049440185451547166705960488635843, 17921034426.037209699919755754458931112671403265390,
    6039542586.3520280050642916443072979210699388420708, 1439720407.3117216736632230727949123939715485786372,
    248874557.86205415651146038641322942321632125127801, 31426415.585400194380614231628318205362874684987640,
    2876370.6289353724412254090516208496135991145378768, 186056.26539522349504029498971604569928220784236328,
    8071.6720023658162106380029022722506138218516325024, 210.82427775157934587250973392071336271166969580291,
    2.5066282746310002701649081771338373386264310793408,
)
#: x (x + 1) ... (x + 11)
DENOMINATOR = (
    0.0, 39916800.0, 120543840.0, 150917976.0, 105258076.0, 45995730.0, 13339535.0, 2637558.0, 357423.0, 32670.0, 1925.0, 66.0, 1.0,
)
G, G_LESS = 6.024680040776729583740234375, 5.524680040776729583740234375
LOG_PI = 1.144729885849400174143427351353058711647
#: The largest whole number whose factorial below it is a float.
WHOLE = 23


def gamma(n: NumberForms, x: Cell) -> Cell:
    """`math.gamma`."""
    return call_own(n, "gamma", _gamma, x)


def lgamma(n: NumberForms, x: Cell) -> Cell:
    """`math.lgamma`."""
    return call_own(n, "lgamma", _lgamma, x)


def _gamma(n: NumberForms, x: Cell) -> Cell:
    s = RealSteps(n)
    size = s.abs(x)
    y = s.add(size, G_LESS)
    lost = s.where(s.gt(size, G_LESS), s.sub(s.sub(y, size), G_LESS), s.sub(s.sub(y, G_LESS), size))
    lost = s.div(s.mul(lost, G), y)
    total, grown = _lanczos_sum(s, size), n.call("exp", y)
    below = s.div(s.mul(s.div(s.div(-math.pi, _sin_of_pi(s, size)), size), grown), total)
    below = s.sub(below, s.mul(lost, below))
    above = s.div(total, grown)
    above = s.add(above, s.mul(lost, above))
    is_less = s.lt(size, 140.0)
    power = n.call("pow", y, s.where(is_less, s.sub(size, 0.5), s.sub(s.div(size, 2.0), 0.25)))
    negative = s.lt(x, 0.0)
    found = s.where(negative, s.div(below, power), s.mul(above, power))
    found = s.where(is_less, found, s.where(negative, s.div(found, power), s.mul(found, power)))
    far = s.where(negative, s.div(0.0, _sin_of_pi(s, x)), math.inf)
    found = s.where(s.gt(size, 200.0), far, found)
    found = s.where(s.lt(size, 1e-20), s.div(1.0, x), found)
    for number in range(1, WHOLE + 1):
        found = s.where(s.eq(x, float(number)), float(math.factorial(number - 1)), found)
    is_pole = s.both(s.eq(x, s.floor(x)), s.le(x, 0.0))
    found = s.where(s.either(is_pole, s.is_infinite(found)), math.nan, found)
    return s.where(s.finite(x), found, s.where(s.lt(x, 0.0), math.nan, x))


def _lgamma(n: NumberForms, x: Cell) -> Cell:
    s = RealSteps(n)
    size = s.abs(x)
    found = s.sub(n.call("log", _lanczos_sum(s, size)), G)
    grown = n.call("log", s.sub(s.add(size, G), 0.5))
    found = s.add(found, s.mul(s.sub(size, 0.5), s.sub(grown, 1.0)))
    turned = s.sub(s.sub(s.sub(LOG_PI, n.call("log", s.abs(_sin_of_pi(s, size)))), n.call("log", size)), found)
    found = s.where(s.lt(x, 0.0), turned, found)
    found = s.where(s.lt(size, 1e-20), s.neg(n.call("log", size)), found)
    is_whole = s.eq(x, s.floor(x))
    found = s.where(s.both(is_whole, s.le(x, 2.0)), s.where(s.le(x, 0.0), math.nan, 0.0), found)
    found = s.where(s.is_infinite(found), math.nan, found)
    return s.where(s.finite(x), found, s.abs(x))


def _lanczos_sum(s: RealSteps, x: Cell) -> Cell:
    small = [_by_products(s, x, row) for row in (NUMERATOR, DENOMINATOR)]
    large = [_by_quotients(s, x, row) for row in (NUMERATOR, DENOMINATOR)]
    is_small = s.lt(x, 5.0)
    return s.div(*(s.where(is_small, one, other) for one, other in zip(small, large, strict=True)))


def _by_products(s: RealSteps, x: Cell, coefficients: Sequence[float]) -> Cell:
    found = s.add(s.mul(0.0, x), coefficients[-1])
    for number in reversed(coefficients[:-1]):
        found = s.add(s.mul(found, x), number)
    return found


def _by_quotients(s: RealSteps, x: Cell, coefficients: Sequence[float]) -> Cell:
    found = s.add(s.div(0.0, x), coefficients[0])
    for number in coefficients[1:]:
        found = s.add(s.div(found, x), number)
    return found


def _sin_of_pi(s: RealSteps, x: Cell) -> Cell:
    """`sin(pi x)`, exact where it is zero."""
    n = s.n
    y = n.call("fmod", s.abs(x), literal(2.0, REAL))
    quarter = n.intrinsic("round", s.mul(2.0, y))
    is_cosine = s.either(s.eq(quarter, 1.0), s.eq(quarter, 3.0))
    shift = s.where(s.eq(quarter, 2.0), s.sub(1.0, y), s.where(s.eq(quarter, 4.0), s.sub(y, 2.0), y))
    angle = s.mul(math.pi, shift)
    other = s.mul(math.pi, s.sub(y, s.where(s.eq(quarter, 1.0), 0.5, 1.5)))
    cosine = n.call("cos", other)
    cosine = s.where(s.eq(quarter, 3.0), s.neg(cosine), cosine)
    found = s.where(is_cosine, cosine, n.call("sin", angle))
    return s.mul(n.intrinsic("copysign", literal(1.0, REAL), x), found)
