"""`math.fsum` as CPython computes it: Shewchuk's partial sums, which together are the exact sum, rounded once.

CPython drops partial sums that are zero; here they stay, which changes no other. Where Python raises, the result is NaN.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from deepalgo.backends.native.own_functions import call_own
from deepalgo.backends.native.real_steps import RealSteps
from deepalgo.backends.native.text import Cell, Unsupported, literal
from deepalgo.kinds import Kind

if TYPE_CHECKING:
    from deepalgo.backends.native.numbers import NumberForms

ZERO = literal(0.0, Kind.REAL)
FALSE = literal(False, Kind.BOOL)
#: The steps grow with the square of the count.
MOST = 40


def fsum(n: NumberForms, *numbers: Cell) -> Cell:
    """The sum, rounded once."""
    if len(numbers) > MOST:
        raise Unsupported(f"fsum of {len(numbers)} numbers")
    return call_own(n, f"fsum{len(numbers)}", _fsum, *numbers) if numbers else ZERO


def _fsum(n: NumberForms, *numbers: Cell) -> Cell:
    s = RealSteps(n)
    partials: list[Cell] = []
    special, overflows, is_special = ZERO, FALSE, FALSE
    for number in numbers:
        given, ordinary = number, s.finite(number)
        x = s.where(ordinary, number, 0.0)
        for place, partial in enumerate(partials):
            x, partials[place] = _two_sum(s, x, partial)
        overflows = s.either(overflows, s.both(ordinary, s.opposite(s.finite(x))))
        partials = [s.where(ordinary, partial, 0.0) for partial in (*partials, x)]
        special = s.where(ordinary, special, s.add(special, given))
        is_special = s.either(is_special, s.opposite(ordinary))
    found = s.where(is_special, special, _rounded(s, partials))
    return s.where(overflows, math.nan, found)


def _two_sum(s: RealSteps, x: Cell, y: Cell) -> tuple[Cell, Cell]:
    """The rounded sum, and what rounding loses."""
    swap = s.lt(s.abs(x), s.abs(y))
    x, y = s.where(swap, y, x), s.where(swap, x, y)
    total = s.add(x, y)
    return total, s.sub(y, s.sub(total, x))


def _rounded(s: RealSteps, partials: list[Cell]) -> Cell:
    """Partial sums from the largest on, until one does not fit; what is left says to which side a half is rounded."""
    high, low, following = ZERO, ZERO, ZERO
    for partial in reversed(partials):
        is_done = s.ne(low, 0.0)
        following = s.where(s.both(is_done, s.eq(following, 0.0)), partial, following)
        total = s.add(high, partial)
        rest = s.sub(partial, s.sub(total, high))
        high, low = s.where(is_done, high, total), s.where(is_done, low, rest)
    same_side = s.either(s.both(s.lt(low, 0.0), s.lt(following, 0.0)), s.both(s.gt(low, 0.0), s.gt(following, 0.0)))
    twice = s.mul(low, 2.0)
    other = s.add(high, twice)
    return s.where(s.both(same_side, s.eq(twice, s.sub(other, high))), other, high)
