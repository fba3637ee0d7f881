"""`log`, `log2`, `log10` and `log1p`: x = 2**k (1 + f) with 1 + f between the roots of 1/2 and 2.

log(1 + f) = 2 atanh(s) with s = f / (2 + f), and 2 s = f - h (1 - s) with h = f**2 / 2: so log(1 + f) = f - h + s (h + R), where all
but the first are small and R = 2 atanh(s) / s - 2 is a polynomial of s**2.
"""

from __future__ import annotations

import math

from deepalgo.backends.native.mathematics.coefficients import LN2_SHORT, LOG, LOG10_2_SHORT, PER_LN2, PER_LN10
from deepalgo.backends.native.mathematics.form_writer import ONE_BITS, FormValue, FormWriter, Whole
from deepalgo.backends.native.mathematics.pairs import Pair, ordered_sum, product

#: The bits of the root of 1/2, those of an exponent that is added so that none is negative, and 2**52 in bits.
ROOT_BITS, MORE, UNIT_BITS = 0x3FE6A09E667F3BCD, 2048 << 52, 0x4330000000000000
SMALLEST_NORMAL, UPWARD = 2.0**-1022, 2.0**54
INFINITE, NAN = math.inf, math.nan


def exponent(bits: Whole) -> tuple[FormValue, Whole]:
    """The exponent k of a normal float 2**k m as a float, and the bits of 2**k without those of 1; m is between the roots of 1/2 and 2."""
    above = bits - (ROOT_BITS - MORE)
    k = ((above >> 52) | UNIT_BITS).real - (2.0**52 + 2048.0)
    return k, (above & (0xFFF << 52)) - MORE


def parts(w: FormWriter, x: FormValue) -> tuple[FormValue, FormValue]:
    """The exponent k and m of a positive float."""
    tiny = x < SMALLEST_NORMAL
    bits = w.select(tiny, x * UPWARD, x).bits
    k, power = exponent(bits)
    return k - w.select(tiny, 54.0, 0.0), (bits - power).real


def outside(w: FormWriter, x: FormValue, found: FormValue) -> FormValue:
    """What logarithms are where they are no finite number."""
    edge = w.select(x.equals(0.0), -INFINITE, w.select(x < 0.0, NAN, x))
    return w.select((x > 0.0) & (x < INFINITE), found, edge)


def small_parts(w: FormWriter, f: FormValue) -> tuple[FormValue, FormValue, FormValue]:
    """s, h and s (h + R)."""
    s = f / (f + 2.0)
    z = s * s
    h = (0.5 * f) * f
    return s, h, s * w.fma(z, w.polynomial(z, LOG), h)


def log(w: FormWriter, x: FormValue) -> FormValue:
    """The natural logarithm."""
    k, m = parts(w, x)
    f = m - 1.0
    _, h, rest = small_parts(w, f)
    total, lost = ordered_sum(k * LN2_SHORT[0], f)
    return outside(w, x, total + (lost - (h - w.fma(k, LN2_SHORT[1], rest))))


def log1p(w: FormWriter, x: FormValue) -> FormValue:
    """The natural logarithm of 1 + x; where 1 + x is near 1, x itself is f, and else what 1 + x loses makes a small difference."""
    u, lost = one_and(x)
    bits = u.bits
    k, power = exponent(bits)
    near = k.equals(0.0)
    f = w.select(near, x, (bits - power).real - 1.0)
    _, h, rest = small_parts(w, f)
    total, left = ordered_sum(k * LN2_SHORT[0], f)
    # 1 / u is the derivative, and 1 - f + f**2 near enough to 1 / (1 + f).
    change = w.select(near | (u > 2.0**60), 0.0, (lost * (ONE_BITS - power).real) * w.fma(f, f - 1.0, 1.0))
    found = outside(w, u, total + (left - (h - (w.fma(k, LN2_SHORT[1], rest) + change))))
    return w.signed(found, x)


def one_and(x: FormValue) -> Pair:
    """1 + x, and what rounding lost of it."""
    u = x + 1.0
    part = u - 1.0
    return u, (1.0 - (u - part)) + (x - part)


def scaled(w: FormWriter, x: FormValue, factor: tuple[float, float], first: float, second: float) -> FormValue:
    """A logarithm to another base: that of 1 + f with twice the bits, times a factor, and k times the logarithm of 2."""
    k, m = parts(w, x)
    f = m - 1.0
    _, h, rest = small_parts(w, f)
    total = f - h
    low = ((f - total) - h) - w.fma(0.5 * f, f, -h) + rest
    high, lost = product(w, total, factor[0])
    lost = lost + w.fma(total, factor[1], low * factor[0])
    whole, left = ordered_sum(k * first, high)
    return outside(w, x, whole + (left + w.fma(k, second, lost)))


def log2(w: FormWriter, x: FormValue) -> FormValue:
    """The logarithm to the base 2."""
    return scaled(w, x, PER_LN2, 1.0, 0.0)


def log10(w: FormWriter, x: FormValue) -> FormValue:
    """The logarithm to the base 10."""
    return scaled(w, x, PER_LN10, *LOG10_2_SHORT)
