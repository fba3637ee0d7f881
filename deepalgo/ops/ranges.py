"""`Range`: between which bounds a value lies, for all samples and all values of the weights.

Bounds hold in every precision of torch: what could be rounded to 0 counts as 0, what a half cannot hold counts as infinite, and
a sum is known to a few digits only. Of an array they hold for each of its numbers. -0.0 is a zero.

>>> print(exactly(3.0), Range(0.0).meet(Range(high=2.5, nan=False)))
[3, 3], not 0, whole [0, 2.5]
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from deepalgo.kinds import Kind

SMALL, LARGE, DIGITS = 1e-7, 6e4, 2.0**-7
INF = math.inf

#: What a number can be, as bits.
NAN, INFINITE, FINITE = 1, 2, 4
ALL_SORTS = NAN | INFINITE | FINITE
#: How two numbers can stand to each other, as bits; with a NaN they stand in none of the three ways.
BELOW, EQUAL, ABOVE, UNORDERED = 1, 2, 4, 8
ALL_OUTCOMES = BELOW | EQUAL | ABOVE | UNORDERED
UNEQUAL = BELOW | ABOVE | UNORDERED


@dataclass(frozen=True, slots=True)
class Range:
    """`low <= x <= high`, unless `nan` allows that it is no number; whether it may be 0, or infinite, and whether it has no fraction."""

    low: float = -INF
    high: float = INF
    nan: bool = True
    zero: bool = True
    inf: bool = True
    whole: bool = False

    def __str__(self) -> str:
        remarks = [" or nan"] * self.nan + [", not 0"] * (not self.may_be_zero) + [", whole"] * self.whole
        unbounded = not self.is_bounded and not self.inf
        return f"[{self.low:.2g}, {self.high:.2g}]{''.join(remarks)}{', finite' if unbounded else ''}"

    @property
    def may_be_zero(self) -> bool:
        """Whether 0 is possible."""
        return self.zero and self.low <= 0 <= self.high

    @property
    def is_bounded(self) -> bool:
        """Whether there is a number on either side that it cannot pass."""
        return self.low > -INF and self.high < INF

    @property
    def may_be_infinite(self) -> bool:
        """Whether an infinity is possible."""
        return self.inf and not self.is_bounded

    @property
    def is_finite(self) -> bool:
        """Whether neither infinity nor NaN is possible."""
        return not self.nan and not self.may_be_infinite

    @property
    def sorts(self) -> int:
        """What the number can be: bits of NAN, INFINITE and FINITE."""
        only = self.low == INF or self.high == -INF
        return self.nan * NAN | self.may_be_infinite * INFINITE | (not only) * FINITE

    def meet(self, other: Range) -> Range:
        """What both say."""
        return Range(
            max(self.low, other.low), min(self.high, other.high), self.nan and other.nan, self.zero and other.zero,
            self.inf and other.inf, self.whole or other.whole,
        )

    def join(self, other: Range) -> Range:
        """What either says."""
        if self == other:
            return self
        return Range(
            min(self.low, other.low), max(self.high, other.high), self.nan or other.nan, self.may_be_zero or other.may_be_zero,
            self.may_be_infinite or other.may_be_infinite, self.whole and other.whole,
        )


ANY = Range()
WHOLE = Range(nan=False, inf=False, whole=True)
TRUTH = Range(0.0, 1.0, nan=False, whole=True)
#: What is known of a value whose kind alone is known; complex numbers have no range.
OF_KIND = {Kind.BOOL: TRUTH, Kind.INT: WHOLE, Kind.REAL: ANY, Kind.COMPLEX: ANY}


def exactly(value: float) -> Range:
    """A constant."""
    if math.isnan(value):
        return ANY
    return Range(_floor(value), -_floor(-value), False, abs(value) < SMALL, abs(value) >= LARGE, value % 1 == 0)


def joined(ranges: Iterable[Range]) -> Range:
    """What holds of one of several values, of which it is not known which."""
    first, *others = ranges
    for other in others:
        first = first.join(other)
    return first


def between(low: float, high: float, nan: bool = True, zero: bool = True, whole: bool = False) -> Range:
    """Everything from `low` to `high`, rounded outwards."""
    if math.isnan(low) or math.isnan(high):
        return Range(nan=nan, whole=whole)
    low = low - DIGITS * abs(low) if abs(low) < INF else low
    high = high + DIGITS * abs(high) if abs(high) < INF else high
    return Range(_floor(low), -_floor(-high), nan, zero, True, whole)


def _floor(low: float) -> float:
    """A lower bound that every precision can tell from 0 and from infinity."""
    if abs(low) < SMALL:
        return min(low, 0.0) if low >= 0 else -SMALL
    return low if abs(low) < LARGE else math.copysign(LARGE if low > 0 else INF, low)


def outcomes(a: Range, b: Range, same: bool = False) -> int:
    """How two numbers can stand to each other; `same` where both are one value. 0 where there are no such numbers.

    >>> outcomes(Range(0.0, 1.0, nan=False), Range(1.0, 2.0, nan=False)) == BELOW | EQUAL
    True
    """
    found = UNORDERED if a.nan or b.nan else 0
    if same:
        return found | EQUAL
    if a.low < b.high:
        found |= BELOW
    if a.high > b.low:
        found |= ABOVE
    low, high = max(a.low, b.low), min(a.high, b.high)
    if low < high or (low == high and (low != 0 or (a.zero and b.zero))):
        found |= EQUAL
    return found


def mirrored(order: int) -> int:
    """The same outcomes with the operands exchanged."""
    return order & (EQUAL | UNORDERED) | (order & BELOW and ABOVE) | (order & ABOVE and BELOW)


def compared(a: Range, b: Range, order: int) -> Range:
    """What is known of a number in `a` that stands to one in `b` in one of these ways."""
    nan = a.nan and bool(order & UNORDERED)
    if order & UNORDERED and b.nan:
        return a  # next to a NaN it can be anything
    if order & ~UNORDERED == EQUAL:
        zero, whole = a.zero and b.may_be_zero, a.whole or b.whole
        return Range(max(a.low, b.low), min(a.high, b.high), nan, zero, a.inf and b.may_be_infinite, whole)
    low, high, zero = a.low, a.high, a.zero
    step = 1 if a.whole and b.whole and not order & EQUAL else 0
    if not order & BELOW and low <= b.low + step:
        low, zero = b.low + step, zero and (bool(order & EQUAL) or b.low < 0)
    if not order & ABOVE and high >= b.high - step:
        high, zero = b.high - step, zero and (bool(order & EQUAL) or b.high > 0)
    if not order & EQUAL and b.low == b.high == 0:
        zero = False
    return Range(low, high, nan, zero, a.inf, a.whole)


def sorted_as(a: Range, sorts: int) -> Range:
    """What is known of a number in `a` that is of one of these sorts."""
    return Range(a.low, a.high, a.nan and bool(sorts & NAN), a.zero, a.inf and bool(sorts & INFINITE), a.whole)
