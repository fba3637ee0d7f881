"""`sinh`, `cosh` and `tanh`: the sums of angles at k log(2), where both are sums of two powers of two, and a small rest r.

sinh(k log(2) + r) = sinh(k log(2)) cosh(r) + cosh(k log(2)) sinh(r), and the other way round for cosh. Nothing cancels but r.
"""

from __future__ import annotations

from deepalgo.backends.native.mathematics.coefficients import COSH, LN2, PER_LN2, SINH
from deepalgo.backends.native.mathematics.exponentials import power_of_two
from deepalgo.backends.native.mathematics.form_writer import ROUNDER, FormValue, FormWriter
from deepalgo.backends.native.mathematics.pairs import Pair, ordered_sum, quotient

#: Below this, sinh and tanh are the number itself.
TINY = 2.0**-28
#: 2**-k adds nothing to 2**k from here on.
FAR = 100.0
#: Where sinh and cosh are infinite, and half of them is not.
LARGEST = 710.5


class HyperbolicParts:
    """Half of sinh and half of cosh of a number that is not negative, each as a pair."""

    def __init__(self, w: FormWriter, a: FormValue) -> None:
        self.w = w
        rounded = w.fma(a, PER_LN2[0], ROUNDER)
        k = rounded - ROUNDER
        self.r = w.fma(k, -LN2[0], a)
        self.lost = k * -LN2[1]
        large = power_of_two(rounded, -2)
        small = w.select(k < FAR, ((1021 - rounded.bits) << 52).real, 0.0)
        self.sinh_k, self.cosh_k = ordered_sum(large, -small), ordered_sum(large, small)
        r = self.r + self.lost
        z = r * r
        self.cosh_rest = z * w.polynomial(z, COSH)
        self.sinh_rest = w.fma(r * z, w.polynomial(z, SINH), self.lost)

    def combined(self, first: Pair, second: Pair) -> Pair:
        """`first` cosh(r) + `second` sinh(r)."""
        w, a, b = self.w, first[0], second[0]
        total = w.fma(b, self.r, a)
        left = w.fma(b, self.r, a - total) + first[1]
        return total, w.fma(a, self.cosh_rest, w.fma(b, self.sinh_rest, left))

    def sinh(self) -> Pair:
        """Half of sinh."""
        return self.combined(self.sinh_k, self.cosh_k)

    def cosh(self) -> Pair:
        """Half of cosh."""
        return self.combined(self.cosh_k, self.sinh_k)


def sinh(w: FormWriter, x: FormValue) -> FormValue:
    """(exp(x) - exp(-x)) / 2."""
    a = w.absolute(x)
    high, low = HyperbolicParts(w, w.select(a > LARGEST, LARGEST, a)).sinh()
    return w.signed(w.select(a < TINY, a, (high + low) * 2.0), x)


def cosh(w: FormWriter, x: FormValue) -> FormValue:
    """(exp(x) + exp(-x)) / 2."""
    a = w.absolute(x)
    high, low = HyperbolicParts(w, w.select(a > LARGEST, LARGEST, a)).cosh()
    return (high + low) * 2.0


def tanh(w: FormWriter, x: FormValue) -> FormValue:
    """sinh(x) / cosh(x)."""
    a = w.absolute(x)
    found = HyperbolicParts(w, w.select(a > 22.0, 22.0, a))
    high, low = quotient(w, ordered_sum(*found.sinh()), ordered_sum(*found.cosh()))
    return w.signed(w.select(a < TINY, a, high + low), x)
