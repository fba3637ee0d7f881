"""`Range`: between which bounds a value lies, for all samples and all values of the weights.

Bounds hold in every precision of torch: what could be rounded to 0 counts as 0, what a half cannot hold counts as infinite, and
a sum is known to a few digits only.

>>> square = multiply(ANY, ANY, same=True)
>>> print(square, add(square, exactly(1.0)))
[0, inf] or nan [0.99, inf] or nan, not 0
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

SMALL, LARGE, DIGITS = 1e-7, 6e4, 2.0**-7


@dataclass(frozen=True, slots=True)
class Range:
    """`low <= x <= high`, unless `nan` allows that it is no number; `zero` is whether it may be 0."""

    low: float = -math.inf
    high: float = math.inf
    nan: bool = True
    zero: bool = True

    def __str__(self) -> str:
        return f"[{self.low:.2g}, {self.high:.2g}]{' or nan' if self.nan else ''}{'' if self.may_be_zero else ', not 0'}"

    @property
    def may_be_zero(self) -> bool:
        """Whether 0 is possible."""
        return self.zero and self.low <= 0 <= self.high

    @property
    def is_finite(self) -> bool:
        """Whether neither infinity nor NaN is possible."""
        return not self.nan and -math.inf < self.low and self.high < math.inf

    def meet(self, other: Range) -> Range:
        """What both say."""
        return Range(max(self.low, other.low), min(self.high, other.high), self.nan and other.nan, self.zero and other.zero)

    def join(self, other: Range) -> Range:
        """What either says."""
        zero = self.may_be_zero or other.may_be_zero
        return Range(min(self.low, other.low), max(self.high, other.high), self.nan or other.nan, zero)


ANY = Range()
NUMBER = Range(nan=False)


def exactly(value: float) -> Range:
    """A constant."""
    return ANY if math.isnan(value) else Range(_floor(value), -_floor(-value), False)


def between(low: float, high: float, nan: bool = True) -> Range:
    """Everything from `low` to `high`, rounded outwards."""
    if math.isnan(low) or math.isnan(high):
        return ANY
    low = low - DIGITS * abs(low) if abs(low) < math.inf else low
    high = high + DIGITS * abs(high) if abs(high) < math.inf else high
    return Range(_floor(low), -_floor(-high), nan)


def _floor(low: float) -> float:
    """A lower bound that every precision can tell from 0 and from infinity."""
    if abs(low) < SMALL:
        return min(low, 0.0) if low >= 0 else -SMALL
    return low if abs(low) < LARGE else math.copysign(LARGE if low > 0 else math.inf, low)


def negate(x: Range) -> Range:
    """`-x`."""
    return replace(x, low=-x.high, high=-x.low)


def magnitude(x: Range) -> Range:
    """`abs(x)`."""
    if x.low >= 0:
        return x
    low = max(0.0, -x.high)
    return replace(x, low=low, high=max(-x.low, x.high))


def add(a: Range, b: Range) -> Range:
    """`a + b`; infinities of opposite sign meet in NaN."""
    low, high = _plus(a.low, b.low, -math.inf), _plus(a.high, b.high, math.inf)
    slack = DIGITS * sum(abs(bound) for bound in (a.low, b.low, a.high, b.high) if abs(bound) < math.inf)
    # Terms of one sign cannot cancel.
    if a.low >= 0 and b.low >= 0 or a.high <= 0 and b.high <= 0:
        slack = 0.0
    zero = not (a.low >= 0 and b.low >= 0 and not (a.may_be_zero and b.may_be_zero))
    opposite = (a.low == -math.inf and b.high == math.inf) or (a.high == math.inf and b.low == -math.inf)
    return replace(between(low - slack, high + slack, a.nan or b.nan or opposite), zero=zero)


def _plus(a: float, b: float, otherwise: float) -> float:
    total = a + b
    return otherwise if math.isnan(total) else total


def multiply(a: Range, b: Range, same: bool = False) -> Range:
    """`a * b`; `same` where both are one value."""
    nan = a.nan or b.nan or (not same and (_meets(a, b) or _meets(b, a)))
    if same:
        a = b = magnitude(a)
    corners = [_times(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return between(min(corners), max(corners), nan)


def _meets(a: Range, b: Range) -> bool:
    """0 times infinity."""
    return a.may_be_zero and (b.low == -math.inf or b.high == math.inf)


def _times(x: float, y: float) -> float:
    return 0.0 if x == 0 or y == 0 else x * y
