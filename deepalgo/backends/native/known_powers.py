"""Powers by whole exponents that stand in the program, as products in pairs of floats: for `mathematics="vector"`.

Each product keeps what its rounding lost, so that the result is rounded once; powers of one base share their products. Infinities,
zeros and NaN come out as `pow` of C has them, since what a rounding lost counts only where it is a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from deepalgo.backends.native.real_steps import RealSteps
from deepalgo.backends.native.text import Cell, literal, real_of
from deepalgo.kinds import Kind

if TYPE_CHECKING:
    from deepalgo.backends.native.numbers import NumberForms

#: Larger exponents are left to `pow`.
MOST = 64
#: A float, and what it lacks.
Pair: TypeAlias = tuple[Cell, Cell]
ONE, ZERO = literal(1.0, Kind.REAL), literal(0.0, Kind.REAL)


def whole(exponents: Sequence[Cell]) -> list[int] | None:
    """The exponents if all of them are known, whole and small."""
    if not all(cell.is_const and not cell.wide for cell in exponents):
        return None
    numbers = [real_of(cell) for cell in exponents]
    if not all(abs(number) <= MOST and number == int(number) for number in numbers):
        return None
    return [int(number) for number in numbers]


def powers(n: NumberForms, x: Cell, exponents: Sequence[int]) -> dict[int, Cell]:
    """The power of x for each exponent."""
    s = RealSteps(n)
    found = {0: ONE, 1: x}
    if any(exponent > 1 for exponent in exponents):
        found |= _rising(n, s, (x, ZERO), [exponent for exponent in exponents if exponent > 1])
    if any(exponent < 0 for exponent in exponents):
        inverse = s.div(1.0, x)
        lost = s.mul(_fused(n, n.code.op("fneg", inverse), x, ONE), inverse)
        falling = _rising(n, s, (inverse, lost), [-exponent for exponent in exponents if exponent < 0])
        found |= {-exponent: cell for exponent, cell in falling.items()}
    return found


def _rising(n: NumberForms, s: RealSteps, base: Pair, exponents: Sequence[int]) -> dict[int, Cell]:
    pairs = {1: base}
    return {exponent: _rounded(n, s, _power(n, s, pairs, exponent)) for exponent in sorted(set(exponents))}


def _power(n: NumberForms, s: RealSteps, pairs: dict[int, Pair], exponent: int) -> Pair:
    """A power from those that there are: one product where two of them will do, else squares."""
    if exponent not in pairs:
        half = next((part for part in sorted(pairs, reverse=True) if exponent - part in pairs), 1 << (exponent.bit_length() - 1))
        if half == exponent:
            half = exponent // 2
        pairs[exponent] = _product(n, s, _power(n, s, pairs, half), _power(n, s, pairs, exponent - half))
    return pairs[exponent]


def _product(n: NumberForms, s: RealSteps, a: Pair, b: Pair) -> Pair:
    high = s.mul(a[0], b[0])
    low = _fused(n, a[0], b[0], n.code.op("fneg", high))
    for one, other in ((a[0], b[1]), (b[0], a[1])):
        if other != ZERO:
            low = _fused(n, one, other, low)
    return high, low


def _rounded(n: NumberForms, s: RealSteps, pair: Pair) -> Cell:
    if pair[1] == ZERO:
        return pair[0]
    total = s.add(*pair)
    return n.code.choose(n.code.op("fcmp ueq", total, ZERO, kind=Kind.BOOL), pair[0], total)  # also where it is NaN


def _fused(n: NumberForms, a: Cell, b: Cell, c: Cell) -> Cell:
    return n.intrinsic("fma", a, b, c)
