"""`sin`, `cos` and `tan`: x = q pi / 2 + r with |r| <= pi / 4, in which fused steps make the first subtraction exact.

pi / 2 has 159 bits here, which is enough for every float up to `FARTHEST`; those beyond are left to the C library.
"""

from __future__ import annotations

from deepalgo.backends.native.mathematics.coefficients import COS, HALF_PI, PER_HALF_PI, SIN
from deepalgo.backends.native.mathematics.form_writer import ROUNDER, FormValue, FormWriter, Whole
from deepalgo.backends.native.mathematics.pairs import Pair, ordered_sum, product, quotient

#: q is exact, and |r| < 1, with floats that are a good deal larger.
FARTHEST = 2.0**40


def reduced(w: FormWriter, x: FormValue) -> tuple[Whole, Pair]:
    """q, of which the lowest bits count, and r."""
    rounded = w.fma(x, PER_HALF_PI[0], ROUNDER)
    q = rounded - ROUNDER
    near = w.fma(q, -HALF_PI[0], x)
    second, lost = product(w, q, HALF_PI[1])
    r = near - second
    return rounded.bits, (r, ((near - r) - second) - w.fma(q, HALF_PI[2], lost))


def sin_near_zero(w: FormWriter, r: Pair, z: FormValue) -> Pair:
    """sin(r), given r**2."""
    high, low = r
    return high, w.fma(high * z, w.polynomial(z, SIN), w.fma(z * low, -0.5, low))


def cos_near_zero(w: FormWriter, r: Pair, z: FormValue) -> Pair:
    """cos(r), given r**2."""
    high, low = r
    half = z * 0.5
    total = 1.0 - half
    left = (1.0 - total) - half
    return total, left + w.fma(z * z, w.polynomial(z, COS), -high * low)


def circular(w: FormWriter, x: FormValue, quarters: int) -> FormValue:
    """sin(x + quarters pi / 2)."""
    q, r = reduced(w, x)
    z = r[0] * r[0]
    sine, cosine = sin_near_zero(w, r, z), cos_near_zero(w, r, z)
    q = q + quarters if quarters else q
    found = w.select((q & 1).differs(0), cosine[0] + cosine[1], sine[0] + sine[1])
    found = (found.bits ^ ((q & 2) << 62)).real
    return w.call_for(w.absolute(x) > FARTHEST, [x], found)


def sin(w: FormWriter, x: FormValue) -> FormValue:
    """The sine."""
    return w.select(x.equals(0.0), x, circular(w, x, 0))


def cos(w: FormWriter, x: FormValue) -> FormValue:
    """The cosine."""
    return circular(w, x, 1)


def tan(w: FormWriter, x: FormValue) -> FormValue:
    """The tangent: sin / cos, or - cos / sin."""
    q, r = reduced(w, x)
    z = r[0] * r[0]
    sine, cosine = sin_near_zero(w, r, z), cos_near_zero(w, r, z)
    is_odd = (q & 1).differs(0)
    above, rest = (w.select(is_odd, b, a) for a, b in zip(sine, cosine, strict=True))
    below, left = (w.select(is_odd, a, b) for a, b in zip(sine, cosine, strict=True))
    high, low = quotient(w, ordered_sum(above, rest), ordered_sum(below, left))
    found = ((high + low).bits ^ ((q & 1) << 63)).real
    return w.call_for(w.absolute(x) > FARTHEST, [x], w.select(x.equals(0.0), x, found))
