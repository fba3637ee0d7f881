"""`asinh`, `acosh` and `atanh`: logarithms of numbers that are kept as sums of two floats (`pairs.py`)."""

from __future__ import annotations

import math

from deepalgo.backends.native.mathematics.form_writer import ONE_BITS, FormValue, FormWriter
from deepalgo.backends.native.mathematics.logarithms import exponent
from deepalgo.backends.native.mathematics.pairs import ordered_sum, product, quotient, root, sum_of
from deepalgo.backends.native.mathematics.powers import log_pair, twice_atanh, with_exponent

#: Beyond this, x + sqrt(x**2 +- 1) is 2 x.
LARGE = 2.0**30
#: Below this, asinh(x) is x.
TINY = 2.0**-28


def log_of_pair(w: FormWriter, high: FormValue, low: FormValue, twice: FormValue) -> FormValue:
    """The logarithm of a number above 1, and `twice` times that of 2."""
    bits = high.bits
    k, power = exponent(bits)
    # The rest is nothing where the power is too large to have an inverse.
    inverse = (ONE_BITS - power).real
    found = log_pair(w, k + twice, ((bits - power).real, w.select(low.equals(0.0), 0.0, low * inverse)))
    return found[0] + found[1]


def asinh(w: FormWriter, x: FormValue) -> FormValue:
    """The inverse of sinh: log(x + sqrt(x**2 + 1))."""
    size = w.absolute(x)
    is_large = size > LARGE
    a = w.select(is_large, LARGE, size)
    square, lost = product(w, a, a)
    total, rest = sum_of(1.0, square)
    s, more = root(w, (total, rest + lost))
    u, left = ordered_sum(s, a)
    found = log_of_pair(w, w.select(is_large, size, u), w.select(is_large, 0.0, left + more), w.select(is_large, 1.0, 0.0))
    plain = (size < TINY) | w.compared("uge", size, math.inf)
    return w.signed(w.select(plain, size, found), x)


def acosh(w: FormWriter, x: FormValue) -> FormValue:
    """The inverse of cosh: log(x + sqrt((x - 1) (x + 1)))."""
    is_large = x > LARGE
    a = w.select(is_large, LARGE, x)
    less = a - 1.0
    more, gone = ordered_sum(a, w.filled(1.0))
    square, lost = product(w, less, more)
    s, rest = root(w, (square, w.fma(less, gone, lost)))
    u, left = ordered_sum(a, s)
    found = log_of_pair(w, w.select(is_large, x, u), w.select(is_large, 0.0, left + rest), w.select(is_large, 1.0, 0.0))
    found = w.select(x.equals(1.0), 0.0, w.select(x.equals(math.inf), x, found))
    return w.select(x >= 1.0, found, math.nan)


def atanh(w: FormWriter, x: FormValue) -> FormValue:
    """The inverse of tanh: half of log((1 + x) / (1 - x)), without a quotient that rounds."""
    size = w.absolute(x)
    above, below = ordered_sum(1.0, size), ordered_sum(1.0, -size)
    k, bits = exponent((above[0] / below[0]).bits)
    power = (bits + ONE_BITS).real
    other = below[0] * power, below[1] * power
    (less, lost), (more, left) = sum_of(above[0], -other[0]), sum_of(above[0], other[0])
    s = quotient(w, (less, lost + (above[1] - other[1])), (more, left + (above[1] + other[1])))
    high, low = with_exponent(w, k, twice_atanh(w, s))
    found = w.select(size.equals(1.0), math.inf, (high + low) * 0.5)
    return w.signed(w.select(size <= 1.0, found, math.nan), x)
