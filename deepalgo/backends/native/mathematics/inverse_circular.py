"""`atan`, `atan2`, `asin` and `acos`.

Angles of a point are brought to an eighth of a turn around 0 or pi / 4: with b >= a >= 0, atan(a / b) = pi / 4 - atan((b - a) / (b + a)).
asin(x) is a polynomial up to 1/2, and pi / 2 - 2 asin(sqrt((1 - x) / 2)) above.
"""

from __future__ import annotations

import math

from deepalgo.backends.native.mathematics.coefficients import ASIN, ATAN, HALF_PI, QUARTER_PI
from deepalgo.backends.native.mathematics.form_writer import FormValue, FormWriter
from deepalgo.backends.native.mathematics.pairs import Pair, ordered_sum, quotient, sum_of

#: The tangent of an eighth of pi.
TURN = math.sqrt(2.0) - 1.0
PI = (2.0 * HALF_PI[0], 2.0 * HALF_PI[1])


def angle(w: FormWriter, above: FormValue, below: FormValue) -> Pair:
    """atan(above / below) for floats that are not negative, the first not the larger one, and the second not 0."""
    turned = above > below * TURN
    zero = w.filled(0.0)
    (less, lost), (more, left) = sum_of(-below, above), ordered_sum(below, above)
    t, rest = quotient(w, (w.select(turned, less, above), w.select(turned, lost, zero)),
                       (w.select(turned, more, below), w.select(turned, left, zero)))
    # A rest of what is hardly a normal float would be rounded to as much as it.
    rest = w.select(w.absolute(t) < 2.0**-1020, 0.0, rest)
    z = t * t
    low = w.fma(t * z, w.polynomial(z, ATAN), w.fma(-z, rest, rest))
    total, gone = ordered_sum(w.select(turned, QUARTER_PI[0], 0.0), t)
    return total, gone + (low + w.select(turned, QUARTER_PI[1], 0.0))


def atan(w: FormWriter, x: FormValue) -> FormValue:
    """The arc tangent."""
    a = w.absolute(x)
    # From here on it is pi / 2, and the inverse is a normal float.
    a = w.select(a > 2.0**64, 2.0**64, a)
    is_steep = a > 1.0
    high, low = angle(w, w.select(is_steep, 1.0, a), w.select(is_steep, a, 1.0))
    total, lost = ordered_sum(HALF_PI[0], -high)
    steep = total + (lost + (HALF_PI[1] - low))
    return w.signed(w.select(is_steep, steep, high + low), x)


def atan2(w: FormWriter, y: FormValue, x: FormValue) -> FormValue:
    """The angle of the point (x, y)."""
    a, b = w.absolute(y), w.absolute(x)
    is_steep = a > b
    large, small = w.select(is_steep, a, b), w.select(is_steep, b, a)
    # Sums of large floats and inverses of extreme ones are brought to where they are normal floats.
    scale = w.select(large > 2.0**900, 2.0**-200, w.select(large < 2.0**-800, 2.0**200, 1.0))
    infinite = large.equals(math.inf)
    small = w.select(infinite, w.select(small.equals(math.inf), 1.0, 0.0), small * scale)
    large = w.select(infinite | large.equals(0.0), 1.0, large * scale)
    high, low = angle(w, small, large)
    # The angle, from pi / 2 if it is steep, and from pi if x is negative.
    is_left = (x.bits >> 63).differs(0)
    high, low = (w.select(is_steep ^ is_left, -part, part) for part in (high, low))
    start = w.select(is_steep, HALF_PI[0], w.select(is_left, PI[0], 0.0))
    rest = w.select(is_steep, HALF_PI[1], w.select(is_left, PI[1], 0.0))
    total, lost = ordered_sum(start, high)
    found = w.signed(total + (lost + (rest + low)), y)
    return w.select(w.compared("uno", x, y), math.nan, found)


class ArcParts:
    """|x|, whether it is above 1/2, and asin of it or of the root of (1 - |x|) / 2, as a sum of two."""

    def __init__(self, w: FormWriter, x: FormValue) -> None:
        self.size = w.absolute(x)
        self.is_large = self.size > 0.5
        z = w.select(self.is_large, w.fma(self.size, -0.5, 0.5), self.size * self.size)
        self.high = w.select(self.is_large, w.sqrt(z), self.size)
        self.low = (self.high * z) * w.polynomial(z, ASIN)


def asin(w: FormWriter, x: FormValue) -> FormValue:
    """The arc sine."""
    arc = ArcParts(w, x)
    total, lost = ordered_sum(HALF_PI[0], arc.high * -2.0)
    large = total + (lost + w.fma(arc.low, -2.0, HALF_PI[1]))
    return w.signed(w.select(arc.is_large, large, arc.high + arc.low), x)


def acos(w: FormWriter, x: FormValue) -> FormValue:
    """The arc cosine."""
    arc = ArcParts(w, x)
    high, low = w.signed(arc.high, x), w.signed(arc.low, x)
    total, lost = ordered_sum(HALF_PI[0], -high)
    near = total + (lost + (HALF_PI[1] - low))
    twice, rest = arc.high * 2.0, arc.low * 2.0
    opposite = PI[0] - (twice + (rest - PI[1]))
    return w.select(arc.is_large, w.select(x < 0.0, opposite, twice + rest), near)
