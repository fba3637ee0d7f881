"""`pow` by a logarithm with twice the bits, and `cbrt`.

The result of x**y = exp(y log(x)) is off by the absolute error of y log(x), which is up to 745: so log(x) needs a dozen bits more than a
float has. 2 atanh(s) = 2 s + 2/3 s**3 + s**5 q(s**2), and all but q is computed in pairs.
"""

from __future__ import annotations

import math

from deepalgo.backends.native.mathematics.coefficients import CBRT, LN2_SHORT, LOG_PAIR, ROOTS, TWO_THIRDS
from deepalgo.backends.native.mathematics.exponentials import LARGEST, SMALLEST, exp_of_sum, power_of_two, within
from deepalgo.backends.native.mathematics.form_writer import ROUNDER, FormValue, FormWriter
from deepalgo.backends.native.mathematics.logarithms import SMALLEST_NORMAL, UNIT_BITS, UPWARD, parts
from deepalgo.backends.native.mathematics.pairs import Pair, ordered_sum, product, quotient

#: Powers of a float other than 1 with larger exponents are zero or infinite.
LARGEST_EXPONENT = 2.0**70


def twice_atanh(w: FormWriter, s: Pair) -> Pair:
    """2 atanh(s) for |s| <= 0.172."""
    high, low = s
    z, lost = product(w, high, high)
    lost = w.fma(high + high, low, lost)
    third, rest = product(w, z, TWO_THIRDS[0])
    rest = rest + w.fma(z, TWO_THIRDS[1], lost * TWO_THIRDS[0])
    third, rest = ordered_sum(third, w.fma(z * z, w.polynomial(z, LOG_PAIR), rest))
    cube, left = product(w, high, third)
    left = left + w.fma(high, rest, low * third)
    total, more = ordered_sum(high + high, cube)
    return total, more + (left + (low + low))


def log_pair(w: FormWriter, k: FormValue, m: Pair) -> Pair:
    """log(2**k m) with m near 1."""
    high, low = m
    below, lost = ordered_sum(1.0, high)
    return with_exponent(w, k, twice_atanh(w, quotient(w, (high - 1.0, low), (below, lost + low))))


def with_exponent(w: FormWriter, k: FormValue, log: Pair) -> Pair:
    """The logarithm of 2**k times a number from that of the number."""
    total, lost = ordered_sum(k * LN2_SHORT[0], log[0])
    return ordered_sum(total, lost + w.fma(k, LN2_SHORT[1], log[1]))


def pow(w: FormWriter, x: FormValue, y: FormValue) -> FormValue:
    """x**y as C has it."""
    size = w.absolute(x)
    k, m = parts(w, size)
    high, low = log_pair(w, k, (m, w.filled(0.0)))
    exponent = within(w, y, -LARGEST_EXPONENT, LARGEST_EXPONENT)
    total, lost = product(w, exponent, high)
    lost = w.fma(exponent, low, lost)
    inside = within(w, total, SMALLEST, LARGEST)
    found = exp_of_sum(w, inside, w.select(inside.equals(total), lost, 0.0))
    # Zero and infinity are each other's inverse.
    at_zero = size.equals(0.0)
    found = w.select(at_zero | size.equals(math.inf), w.select(at_zero ^ (y < 0.0), 0.0, math.inf), found)
    # A negative number has real powers with whole exponents only, and odd ones are negative.
    half = y * 0.5
    is_whole = w.intrinsic("floor", y).equals(y)
    is_odd = is_whole & w.intrinsic("floor", half).differs(half)
    found = w.select(is_odd, w.signed(found, x), found)
    is_negative = (x < 0.0) & (x > -math.inf)
    found = w.select(is_negative, w.select(is_whole, found, math.nan), found)
    found = w.select(w.compared("uno", x, y), math.nan, found)
    return w.select(y.equals(0.0) | x.equals(1.0), 1.0, found)


def cbrt(w: FormWriter, x: FormValue) -> FormValue:
    """The cube root: 2**j by thirds of the exponent, a polynomial for 1 / root, a step of higher order, and one of Newton's in pairs."""
    size = w.absolute(x)
    tiny = size < SMALLEST_NORMAL
    bits = w.select(tiny, size * UPWARD, size).bits
    exponent = ((bits >> 52) | UNIT_BITS).real - (2.0**52 + 1023.0)
    rounded = w.fma(exponent, 1.0 / 3.0, ROUNDER)
    third = rounded - ROUNDER
    over = w.fma(third, -3.0, exponent)
    mantissa = ((bits & ((1 << 52) - 1)) | (1023 << 52)).real
    above, below = over > 0.5, over < -0.5
    m = mantissa * w.select(above, 2.0, w.select(below, 0.5, 1.0))
    r = w.polynomial(mantissa, CBRT) * w.select(above, ROOTS[0], w.select(below, ROOTS[1], 1.0))
    d = w.fma(-m * (r * r), r, 1.0)
    r = w.fma(r * d, w.horner(d, (1.0 / 3.0, 2.0 / 9.0, 14.0 / 81.0)), r)
    square = r * r
    y = m * square
    y2, lost = product(w, y, y)
    excess = w.fma(y2, y, -m) + lost * y
    found = w.fma(excess * square, -1.0 / 3.0, y)
    found = found * power_of_two(rounded)
    found = w.select(tiny, found * 2.0**-18, found)
    plain = size.equals(0.0) | w.compared("uge", size, math.inf)
    return w.signed(w.select(plain, size, found), x)
