"""Functions of complex numbers in real ones, step by step as CPython's `cmathmodule.c` and `complexobject.c` have them.

`Functions` says what they are of finite numbers, and of an infinite real part where signs follow the angle; all other numbers that are not
finite are looked up in a table, which Python itself fills.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import TypeAlias

from deepalgo.lower.real_formulas import Real

#: The two parts of a complex number.
Pair: TypeAlias = tuple[Real, Real]

LARGE = sys.float_info.max / 4.0
ROOT_LARGE, LOG_LARGE, ROOT_SMALLEST = math.sqrt(LARGE), math.log(LARGE), math.sqrt(sys.float_info.min)
SMALLEST, LN2, LN10 = sys.float_info.min, math.log(2.0), math.log(10.0)


def product(a: Pair, b: Pair) -> Pair:
    """`a * b`."""
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def quotient(a: Pair, b: Pair, by_numpy: bool) -> Pair:
    """`a / b` by Smith's method; by zero both parts are divided by zero, as in NumPy, which multiplies by the inverse of the divisor."""
    (ar, ai), (br, bi) = a, b
    wide = abs(br) >= abs(bi)
    ratio = wide.where(bi, br) / wide.where(br, bi)
    share = wide.where(br + bi * ratio, br * ratio + bi)
    real, imag = wide.where(ar + ai * ratio, ar * ratio + ai), wide.where(ai - ar * ratio, ai * ratio - ar)
    real, imag = (real * (1.0 / share), imag * (1.0 / share)) if by_numpy else (real / share, imag / share)
    zero = br.equals(0.0) & bi.equals(0.0)
    return zero.where(ar / abs(br), real), zero.where(ai / abs(br), imag)


def length(z: Pair) -> Real:
    """`abs(z)`, by the C library."""
    return z[0].call("c_hypot", z[1])


def _scaled(x: Real, exponent: int) -> Real:
    return x * 2.0**exponent


def _sign_of(size: Real | float, sign: Real) -> Real:
    size = sign.const(size) if not isinstance(size, Real) else size
    return size.call("copysign", sign)


def _log1p(x: Real) -> Real:
    return x.equals(0.0).where(x, x.call("log1p"))


def sqrt(z: Pair) -> Pair:
    """The root with a real part that is not negative."""
    x, y = abs(z[0]), abs(z[1])
    up = _scaled(x, 53)
    small = _scaled((up + length((up, _scaled(y, 53)))).call("sqrt"), -27)
    eighth = x / 8.0
    large = 2.0 * (eighth + length((eighth, y / 8.0))).call("sqrt")
    is_small = (x < SMALLEST) & (y < SMALLEST) & ((x > 0.0) | (y > 0.0))
    s = is_small.where(small, large)
    d = y / (2.0 * s)
    right = z[0] >= 0.0
    real, imag = right.where(s, d), _sign_of(right.where(d, s), z[1])
    zero = z[0].equals(0.0) & z[1].equals(0.0)
    return zero.where(0.0, real), zero.where(z[1], imag)


def exp(z: Pair) -> Pair:
    """`e ** z`."""
    cos, sin = z[1].call("cos"), z[1].call("sin")
    is_large = z[0] > LOG_LARGE
    grown = is_large.where(z[0] - 1.0, z[0]).call("exp")
    real, imag = grown * cos, grown * sin
    real, imag = is_large.where(real * math.e, real), is_large.where(imag * math.e, imag)
    size = (z[0] > 0.0).where(math.inf, 0.0)
    return _endless(z, (_sign_of(size, cos), _sign_of(size, sin)), (real, imag))


def log(z: Pair) -> Pair:
    """The logarithm with an angle from -pi to pi."""
    x, y = abs(z[0]), abs(z[1])
    h = length((x, y))
    larger, smaller = (x > y).where(x, y), (x > y).where(y, x)
    near = _log1p((larger - 1.0) * (larger + 1.0) + smaller * smaller) / 2.0
    real = ((h >= 0.71) & (h <= 1.73)).where(near, h.call("log"))
    tiny = length((_scaled(x, 53), _scaled(y, 53))).call("log") - 53 * LN2
    real = ((x < SMALLEST) & (y < SMALLEST)).where(tiny, real)
    huge = length((x / 2.0, y / 2.0)).call("log") + LN2
    return ((x > LARGE) | (y > LARGE)).where(huge, real), z[1].call("atan2", z[0])


def log10(z: Pair) -> Pair:
    """The logarithm to base 10."""
    real, imag = log(z)
    return real / LN10, imag / LN10


def cosh(z: Pair) -> Pair:
    """The hyperbolic cosine."""
    return _hyperbolic(z, "cosh", "sinh")


def sinh(z: Pair) -> Pair:
    """The hyperbolic sine."""
    return _hyperbolic(z, "sinh", "cosh")


def _hyperbolic(z: Pair, first: str, second: str) -> Pair:
    cos, sin = z[1].call("cos"), z[1].call("sin")
    is_large = abs(z[0]) > LOG_LARGE
    x = is_large.where(z[0] - _sign_of(1.0, z[0]), z[0])
    real, imag = cos * x.call(first), sin * x.call(second)
    real, imag = is_large.where(real * math.e, real), is_large.where(imag * math.e, imag)
    left = z[0] < 0.0
    signed = _sign_of(math.inf, cos), _sign_of(math.inf, sin)
    turned = signed[first == "cosh"]
    turned = left.where(-turned, turned)
    endless = (signed[0], turned) if first == "cosh" else (turned, signed[1])
    return _endless(z, endless, (real, imag))


def tanh(z: Pair) -> Pair:
    """The hyperbolic tangent."""
    cos, sin = z[1].call("cos"), z[1].call("sin")
    tx, ty, cx = z[0].call("tanh"), z[1].call("tan"), 1.0 / z[0].call("cosh")
    both = tx * ty
    share = 1.0 + both * both
    real, imag = tx * (1.0 + ty * ty) / share, ty / share * cx * cx
    is_large = abs(z[0]) > LOG_LARGE
    side = _sign_of(1.0, z[0])
    real, imag = is_large.where(side, real), is_large.where(4.0 * sin * cos * (-2.0 * abs(z[0])).call("exp"), imag)
    return _endless(z, (side, _sign_of(0.0, 2.0 * sin * cos)), (real, imag))


def _endless(z: Pair, then: Pair, orelse: Pair) -> Pair:
    """What holds of an infinite real part beside an imaginary one that is neither zero nor infinite."""
    found = z[0].call("isinf") & z[1].call("isfinite") & ~z[1].equals(0.0)
    return found.where(then[0], orelse[0]), found.where(then[1], orelse[1])


def acos(z: Pair) -> Pair:
    """The inverse of the cosine."""
    x, y = z
    one, two = sqrt((1.0 - x, -y)), sqrt((1.0 + x, y))
    real = 2.0 * one[0].call("atan2", two[0])
    imag = (two[0] * one[1] - two[1] * one[0]).call("asinh")
    grown = _log_of_half(z)
    far = (x < 0.0).where(-_sign_of(grown, y), _sign_of(grown, -y))
    is_far = _is_far(z)
    return is_far.where(abs(y).call("atan2", x), real), is_far.where(far, imag)


def acosh(z: Pair) -> Pair:
    """The inverse of the hyperbolic cosine."""
    x, y = z
    one, two = sqrt((x - 1.0, y)), sqrt((x + 1.0, y))
    real, imag = (one[0] * two[0] + one[1] * two[1]).call("asinh"), 2.0 * one[1].call("atan2", two[0])
    is_far = _is_far(z)
    return is_far.where(_log_of_half(z), real), is_far.where(y.call("atan2", x), imag)


def asinh(z: Pair) -> Pair:
    """The inverse of the hyperbolic sine."""
    x, y = z
    one, two = sqrt((1.0 + y, -x)), sqrt((1.0 - y, x))
    real = (one[0] * two[1] - two[0] * one[1]).call("asinh")
    imag = y.call("atan2", one[0] * two[0] - one[1] * two[1])
    grown = _log_of_half(z)
    far = (y >= 0.0).where(_sign_of(grown, x), -_sign_of(grown, -x))
    is_far = _is_far(z)
    return is_far.where(far, real), is_far.where(y.call("atan2", abs(x)), imag)


def atanh(z: Pair) -> Pair:
    """The inverse of the hyperbolic tangent: that of the opposite where the real part is negative."""
    side = _sign_of(1.0, z[0])
    x, y = z[0] * side, z[1] * side
    size = abs(y)
    real = _log1p(4.0 * x / ((1.0 - x) * (1.0 - x) + size * size)) / 4.0
    imag = -(-2.0 * y).call("atan2", (1.0 - x) * (1.0 + x) - size * size) / 2.0
    root = size.call("sqrt") / length((size, size.const(2.0))).call("sqrt")
    is_near = x.equals(1.0) & (size < ROOT_SMALLEST)
    real = is_near.where(-root.call("log"), real)
    imag = is_near.where(_sign_of(size.const(2.0).call("atan2", -size) / 2.0, y), imag)
    imag = (is_near & size.equals(0.0)).where(y, imag)  # the pole, where Python raises
    half = length((x / 2.0, y / 2.0))
    is_far = (x > ROOT_LARGE) | (size > ROOT_LARGE)
    real = is_far.where(x / 4.0 / half / half, real)
    imag = is_far.where(_sign_of(math.pi / 2.0, y), imag)
    return real * side, imag * side


def _is_far(z: Pair) -> Real:
    return (abs(z[0]) > LARGE) | (abs(z[1]) > LARGE)


def _log_of_half(z: Pair) -> Real:
    return length((z[0] / 2.0, z[1] / 2.0)).call("log") + LN2 * 2.0


def _turned(function: Callable[[Pair], Pair]) -> Callable[[Pair], Pair]:
    """A function of the circle by that of the hyperbola: of z times i, divided by i."""

    def form(z: Pair) -> Pair:
        real, imag = function((-z[1], z[0]))
        return imag, -real

    return form


FUNCTIONS: dict[str, Callable[[Pair], Pair]] = {
    "sqrt": sqrt, "exp": exp, "log": log, "log10": log10, "cosh": cosh, "sinh": sinh, "tanh": tanh, "acos": acos, "acosh": acosh,
    "asinh": asinh, "atanh": atanh, "sin": _turned(sinh), "tan": _turned(tanh), "asin": _turned(asinh), "atan": _turned(atanh),
    "cos": lambda z: cosh((-z[1], z[0])),
}
