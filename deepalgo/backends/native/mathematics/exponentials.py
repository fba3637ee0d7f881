"""`exp`, `exp2` and `expm1`: a power of two, times a polynomial of what is left.

x = k log(2) + r with |r| <= log(2) / 2. A fused step makes x - k log(2) exact but for the bits of log(2) that a float does not have.
"""

from __future__ import annotations

from deepalgo.backends.native.mathematics.coefficients import EXP, EXP2, LN2, PER_LN2
from deepalgo.backends.native.mathematics.form_writer import ROUNDER, FormValue, FormWriter
from deepalgo.backends.native.mathematics.pairs import ordered_sum

#: Where exp is infinite, and where it is zero.
LARGEST, SMALLEST = 710.0, -746.0


def within(w: FormWriter, x: FormValue, low: float, high: float) -> FormValue:
    """The nearest number between two bounds; NaN stays."""
    x = w.select(x > high, high, x)
    return w.select(x < low, low, x)


def times_power(rounded: FormValue, x: FormValue) -> FormValue:
    """`x` times the power of two whose exponent was rounded by `ROUNDER`, in two steps, so that one rounds at most."""
    exponent = rounded.bits
    half = exponent >> 1
    first, second = (half + 1023) << 52, (exponent - half + 1023) << 52
    return x * first.real * second.real


def power_of_two(rounded: FormValue, shift: int = 0) -> FormValue:
    """The power of two whose exponent was rounded by `ROUNDER`, if it is a normal float."""
    return ((rounded.bits + (1023 + shift)) << 52).real


def exp(w: FormWriter, x: FormValue) -> FormValue:
    """e**x."""
    x = within(w, x, SMALLEST, LARGEST)
    rounded = w.fma(x, PER_LN2[0], ROUNDER)
    k = rounded - ROUNDER
    return times_power(rounded, near_zero(w, w.fma(k, -LN2[1], w.fma(k, -LN2[0], x))))


def exp_of_sum(w: FormWriter, x: FormValue, rest: FormValue) -> FormValue:
    """e**(x + rest), with x between the bounds and a small rest; rounded so late that powers which are floats come out as they are."""
    rounded = w.fma(x, PER_LN2[0], ROUNDER)
    k = rounded - ROUNDER
    r = w.fma(k, -LN2[0], x)
    rest = w.fma(k, -LN2[1], rest)
    whole = r + rest
    total, lost = ordered_sum(1.0, r)
    return times_power(rounded, total + (lost + w.fma(whole * whole, w.polynomial(whole, EXP), rest)))


def near_zero(w: FormWriter, r: FormValue) -> FormValue:
    """e**r for small r."""
    return w.fma(r * r, w.polynomial(r, EXP), r) + 1.0


def exp2(w: FormWriter, x: FormValue) -> FormValue:
    """2**x."""
    x = within(w, x, -1076.0, 1025.0)
    rounded = x + ROUNDER
    r = x - (rounded - ROUNDER)
    return times_power(rounded, w.fma(r, w.polynomial(r, EXP2), 1.0))


def expm1(w: FormWriter, x: FormValue) -> FormValue:
    """e**x - 1, by 2**k (r + rest) + (2**k - 1); halves, so that no power of two is infinite."""
    given, x = x, within(w, x, -40.0, LARGEST)
    rounded = w.fma(x, PER_LN2[0], ROUNDER)
    k = rounded - ROUNDER
    r = w.fma(k, -LN2[0], x)
    lost = k * -LN2[1]
    whole = r + lost
    rest = (whole * whole) * w.polynomial(whole, EXP)
    power = power_of_two(rounded, -1)
    less = power - 0.5
    total = w.fma(power, r, less)
    left = w.fma(power, r, less - total)
    found = 2.0 * (total + w.fma(power, rest + lost, left))
    return w.signed(w.select(k.equals(0.0), r + rest, found), given)
