"""`round(x, digits)` as Python has it: the float next to the decimal number that is next to `x`, the even one of two.

CPython goes through text. The product with a power of ten up to 1e22 is exact if what it loses is kept, and the quotient of two floats that
are whole numbers is rounded once, as the reading of a decimal number is; so the results are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepalgo.backends.native.real_steps import RealSteps, cell
from deepalgo.backends.native.text import Cell, Unsupported

if TYPE_CHECKING:
    from deepalgo.backends.native.numbers import NumberForms

#: Powers of ten up to this one are floats.
MOST_DIGITS = 22


def round_digits(n: NumberForms, x: Cell, digits: int) -> Cell:
    """`round(x, digits)`."""
    if abs(digits) > MOST_DIGITS:
        raise Unsupported(f"round to {digits} digits")
    return _behind_point(RealSteps(n), x, 10.0**digits) if digits >= 0 else _before_point(RealSteps(n), x, -digits)


def _behind_point(s: RealSteps, x: Cell, power: float) -> Cell:
    product = s.mul(x, power)
    lost = s.fma(x, power, s.neg(product))
    whole = s.rint(product)
    rest = s.sub(product, whole)
    up, down = s.both(s.eq(rest, 0.5), s.gt(lost, 0.0)), s.both(s.eq(rest, -0.5), s.lt(lost, 0.0))
    whole = s.where(up, s.add(whole, 1.0), s.where(down, s.sub(whole, 1.0), whole))
    # A float of 2**53 and more times the power is next to itself.
    return s.where(s.lt(s.abs(product), 2.0**53), s.div(whole, power), x)


def _before_point(s: RealSteps, x: Cell, zeros: int) -> Cell:
    n, size, power = s.n, s.abs(x), 10.0**zeros
    rest = n.call("fmod", size, cell(power))
    below = s.sub(size, rest)
    # Below this the multiples of the power are floats; from there on floats are multiples of 2**zeros, and so is what is left.
    is_exact = s.lt(size, 2.0 ** (53 + zeros))
    above = s.where(is_exact, s.add(below, power), s.add(size, s.sub(power, rest)))
    is_odd = s.ge(n.call("fmod", size, cell(2.0 * power)), power)
    half = power / 2.0
    up = s.either(s.gt(rest, half), s.both(s.eq(rest, half), is_odd))
    found = n.intrinsic("copysign", s.where(up, above, below), x)
    return s.where(s.finite(x), found, x)
