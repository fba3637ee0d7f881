"""The range of a result by the ranges of the operands: a rule for each operation that has one, named in its row.

A rule gets the ranges and whether all operands are one value.

>>> square = mul([ranges.ANY, ranges.ANY], True)
>>> print(square, add([square, ranges.exactly(1.0)], False))
[0, inf] or nan [0.99, inf] or nan, not 0
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

from deepalgo.ops import ranges
from deepalgo.ops.ranges import DIGITS, INF, Range, between

Bounds: TypeAlias = Callable[[Sequence[Range], bool], Range]


def neg(args: Sequence[Range], same: bool = False) -> Range:
    """`-x`."""
    (x,) = args
    return Range(-x.high, -x.low, x.nan, x.zero, x.inf, x.whole)


def magnitude(args: Sequence[Range], same: bool = False) -> Range:
    """`abs(x)`."""
    (x,) = args
    return x if x.low >= 0 else Range(max(0.0, -x.high), max(-x.low, x.high), x.nan, x.zero, x.inf, x.whole)


def add(args: Sequence[Range], same: bool = False) -> Range:
    """`a + b`; infinities of opposite sign meet in NaN."""
    a, b = args
    low, high = _plus(a.low, b.low, -INF), _plus(a.high, b.high, INF)
    slack = DIGITS * sum(abs(bound) for bound in (a.low, b.low, a.high, b.high) if abs(bound) < INF)
    # Terms of one sign cannot cancel.
    alike = same or (a.low >= 0 and b.low >= 0) or (a.high <= 0 and b.high <= 0)
    slack = 0.0 if alike else slack
    zero = not alike or (a.may_be_zero and b.may_be_zero)
    opposite = not same and ((a.inf and a.low == -INF and b.inf and b.high == INF) or (a.inf and a.high == INF and b.inf and b.low == -INF))
    return between(low - slack, high + slack, a.nan or b.nan or opposite, zero, a.whole and b.whole)


def sub(args: Sequence[Range], same: bool = False) -> Range:
    """`a - b`; an infinity less itself is NaN."""
    a, b = args
    return Range(0.0, 0.0, not a.is_finite, whole=True) if same else add((a, neg((b,))))


def mul(args: Sequence[Range], same: bool = False) -> Range:
    """`a * b`; 0 times infinity is NaN, and a product of small numbers can be 0."""
    a, b = args
    nan = a.nan or b.nan or (not same and (_meets(a, b) or _meets(b, a)))
    if same:
        a = b = magnitude((a,))
    corners = [_times(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    whole = a.whole and b.whole
    return between(min(corners), max(corners), nan, a.may_be_zero or b.may_be_zero or not whole, whole)


def div(args: Sequence[Range], same: bool = False) -> Range:
    """`a / b`; only a divisor that cannot be zero says something."""
    a, b = args
    if b.may_be_zero or (b.low < 0 < b.high):
        return ranges.ANY
    nan = a.nan or b.nan or (a.may_be_infinite and b.may_be_infinite)
    if same:
        return between(1.0, 1.0, nan, zero=False)
    inverse = [1 / bound if bound else math.copysign(INF, b.low + b.high) for bound in (b.low, b.high)]
    corners = [_times(x, y) for x in (a.low, a.high) for y in inverse]
    return between(min(corners), max(corners), nan)


def mod(args: Sequence[Range], same: bool = False) -> Range:
    """`a % b`, between 0 and `b`."""
    a, b = args
    nan = a.nan or b.nan or a.may_be_infinite or b.may_be_zero
    return between(min(b.low, 0.0), max(b.high, 0.0), nan, whole=a.whole and b.whole)


def power(args: Sequence[Range], same: bool = False) -> Range:
    """`a ** b`: squares, even powers, and powers of what is not negative; the power of -0.0 to an odd negative number is."""
    a, b = args
    if b.low == b.high == 2:
        return mul((a, a), True)
    even = b.low == b.high and b.low > 0 and b.low % 2 == 0
    return Range(0.0) if even or (a.low >= 0 and (b.low >= 0 or not a.may_be_zero)) else ranges.ANY


def smaller(args: Sequence[Range], same: bool = False) -> Range:
    """The smaller of two; next to a NaN it can be the other one."""
    a, b = args
    high = max(a.high, b.high) if a.nan or b.nan else min(a.high, b.high)
    either = a.join(b)
    return Range(either.low, high, either.nan, either.zero, either.inf, either.whole)


def larger(args: Sequence[Range], same: bool = False) -> Range:
    """The larger of two; next to a NaN it can be the other one."""
    a, b = args
    low = min(a.low, b.low) if a.nan or b.nan else max(a.low, b.low)
    either = a.join(b)
    return Range(low, either.high, either.nan, either.zero, either.inf, either.whole)


def rounded(function: Callable[[float], int]) -> Bounds:
    """A function that gives whole numbers, and a larger one for a larger operand."""

    def rule(args: Sequence[Range], same: bool = False) -> Range:
        x = args[0]
        low, high = (float(function(bound)) if abs(bound) < INF else bound for bound in (x.low, x.high))
        return Range(low, high, x.nan, True, x.inf, True)

    return rule


def truncated(args: Sequence[Range], same: bool = False) -> Range:
    """The whole part as an int, which a number beyond 64 bits does not have."""
    (x,) = args
    return rounded(math.trunc)(args, same) if x.is_bounded and not x.nan else ranges.WHOLE


def rising(function: Callable[[float], float], low: float = -INF, high: float = INF) -> Bounds:
    """A function that grows with its operand from `low` to `high`, and is no number outside."""

    def at(bound: float, otherwise: float) -> float:
        try:
            return function(min(max(bound, low), high))
        except (ValueError, OverflowError):
            return otherwise

    def rule(args: Sequence[Range], same: bool = False) -> Range:
        (x,) = args
        return between(at(x.low, -INF), at(x.high, INF), x.nan or x.low < low or x.high > high)

    return rule


def root(args: Sequence[Range], same: bool = False) -> Range:
    """The square root, which is 0 of 0 only."""
    (x,) = args
    found = between(math.sqrt(max(x.low, 0.0)), math.sqrt(max(x.high, 0.0)), x.nan or x.low < 0, x.may_be_zero)
    return Range(found.low, found.high, found.nan, found.zero, x.inf)


def unchanged(args: Sequence[Range], same: bool = False) -> Range:
    """The numbers of the first operand."""
    return args[0]


def last(args: Sequence[Range], same: bool = False) -> Range:
    """The last operand."""
    return args[-1]


def as_real(args: Sequence[Range], same: bool = False) -> Range:
    """The same number as a float, which a half may not hold."""
    (x,) = args
    return Range(x.low, x.high, x.nan, x.zero, True, x.whole)


def any_of(args: Sequence[Range], same: bool = False) -> Range:
    """Numbers of all operands."""
    return ranges.joined(args)


def behind_first(args: Sequence[Range], same: bool = False) -> Range:
    """Numbers of all operands but the first, which chooses."""
    return ranges.joined(args[1:])


def first_two(args: Sequence[Range], same: bool = False) -> Range:
    """Numbers of the first two operands."""
    return args[0].join(args[1])


def outer_two(args: Sequence[Range], same: bool = False) -> Range:
    """Numbers of the first and of the last operand."""
    return args[0].join(args[-1])


def total(args: Sequence[Range], same: bool = False) -> Range:
    """The sum of numbers, of which there may be none: its sign, if they have one. Else parts of it can be infinities of either sign."""
    x = args[0]
    low, high = 0.0 if x.low >= 0 else -INF, 0.0 if x.high <= 0 else INF
    return Range(low, high, x.nan or x.low < 0 < x.high, True, True, x.whole)


def _plus(a: float, b: float, otherwise: float) -> float:
    total = a + b
    return otherwise if math.isnan(total) else total


def _meets(a: Range, b: Range) -> bool:
    """0 times infinity."""
    return a.may_be_zero and b.may_be_infinite


def _times(x: float, y: float) -> float:
    return 0.0 if x == 0 or y == 0 else x * y
