"""`math.hypot` of two numbers as CPython computes it: scaled sums of squares that keep what rounding loses, and a step of Newton's.

Python 3.12 multiplies with a fused step where earlier versions split numbers into halves; both keep the lost parts apart.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from deepalgo.backends.native.text import Cell, literal
from deepalgo.kinds import Kind

if TYPE_CHECKING:
    from deepalgo.backends.native.numbers import NumberForms

REAL, INT = Kind.REAL, Kind.INT
ZERO, ONE, TWO, INFINITE = (literal(number, REAL) for number in (0.0, 1.0, 2.0, float("inf")))
#: 2**27 + 1, which splits a float into two halves.
SPLITTER = literal(134217729.0, REAL)
#: The smallest normal float, by which others are made normal.
SMALLEST = literal(sys.float_info.min, REAL)

#: Below this, versions without fused steps divide.
LEAST = literal(2.0**-1024, REAL)
FUSED = sys.version_info >= (3, 12)


class HypotSteps:
    """Arithmetic on cells, short enough for formulas."""

    def __init__(self, n: NumberForms) -> None:
        self.n = n

    def add(self, x: Cell, y: Cell) -> Cell:
        """The sum."""
        return self.n.code.op("fadd", x, y)

    def sub(self, x: Cell, y: Cell) -> Cell:
        """The difference."""
        return self.n.code.op("fsub", x, y)

    def mul(self, x: Cell, y: Cell) -> Cell:
        """The product."""
        return self.n.code.op("fmul", x, y)

    def div(self, x: Cell, y: Cell) -> Cell:
        """The quotient."""
        return self.n.code.op("fdiv", x, y)

    def neg(self, x: Cell) -> Cell:
        """The opposite."""
        return self.n.code.op("fneg", x)

    def halves(self, x: Cell) -> tuple[Cell, Cell]:
        """The upper half of the bits of a number, and the rest."""
        large = self.mul(x, SPLITTER)
        upper = self.sub(large, self.sub(large, x))
        return upper, self.sub(x, upper)


def hypot(n: NumberForms, x: Cell, y: Cell) -> Cell:
    """The length of a vector of two numbers."""
    code, s = n.code, HypotSteps(n)
    x, y = n.intrinsic("fabs", x), n.intrinsic("fabs", y)
    largest = code.choose(n.compare("gt", y, x), y, x)
    is_tiny = n.compare("lt", largest, SMALLEST)
    factor = code.choose(is_tiny, SMALLEST, ONE)
    first, second = s.div(x, factor), s.div(y, factor)
    scale = _scale(n, s.div(largest, factor))
    norm = _by_fused_steps if FUSED else _by_halves
    found = s.mul(s.div(norm(s, (s.mul(first, scale), s.mul(second, scale))), scale), factor)
    if not FUSED:
        found = code.choose(n.compare("lt", largest, LEAST), _by_quotients(s, (x, y), largest), found)
    found = code.choose(n.compare("eq", largest, ZERO), ZERO, found)
    nan = code.op("fcmp uno", x, y, kind=Kind.BOOL)
    found = code.choose(nan, literal(float("nan"), REAL), found)
    infinite = code.op("or", n.compare("eq", x, INFINITE), n.compare("eq", y, INFINITE))
    return code.choose(infinite, INFINITE, found)


def _scale(n: NumberForms, largest: Cell) -> Cell:
    """The power of two that brings a normal number to [1/2, 1): the bits of its exponent, turned round."""
    code = n.code
    whole, real = Cell("", INT, largest.wide).type, largest.type
    bits = Cell(code.emit(f"bitcast {largest.typed} to {whole}"), INT, largest.wide)
    exponent = code.op("and", code.op("lshr", bits, literal(52, INT)), literal(2047, INT))
    # The power is no normal float if the number is one of the largest: then two of them make it.
    is_huge = n.compare("gt", exponent, literal(2000, INT))
    less = code.op("sub", code.choose(is_huge, literal(2545, INT), literal(2045, INT)), exponent)
    turned = code.op("shl", less, literal(52, INT))
    power = Cell(code.emit(f"bitcast {turned.typed} to {real}"), REAL, largest.wide)
    return code.op("fmul", power, code.choose(is_huge, literal(2.0**-500, REAL), ONE))


def _by_halves(s: HypotSteps, numbers: tuple[Cell, Cell]) -> Cell:
    total, lost = ONE, [ZERO, ZERO, ZERO]

    def include(part: Cell, place: int) -> None:
        nonlocal total
        before, total = total, s.add(total, part)
        lost[place] = s.add(lost[place], s.add(s.sub(before, total), part))

    for number in numbers:
        upper, lower = s.halves(number)
        include(s.mul(upper, upper), 0)
        include(s.mul(s.mul(TWO, upper), lower), 1)
        lost[2] = s.add(lost[2], s.mul(lower, lower))
    root = s.n.intrinsic("sqrt", _left(s, total, lost))
    upper, lower = s.halves(root)
    include(s.mul(s.neg(upper), upper), 0)
    include(s.mul(s.mul(literal(-2.0, REAL), upper), lower), 1)
    include(s.mul(s.neg(lower), lower), 2)
    return s.add(root, s.div(_left(s, total, lost), s.mul(TWO, root)))


def _by_quotients(s: HypotSteps, numbers: tuple[Cell, Cell], largest: Cell) -> Cell:
    """Numbers so small that no power of two makes them ordinary are divided by the largest."""
    total, lost = ONE, ZERO
    for number in numbers:
        share = s.div(number, largest)
        part = s.mul(share, share)
        before, total = total, s.add(total, part)
        lost = s.add(lost, s.add(s.sub(before, total), part))
    return s.mul(largest, s.n.intrinsic("sqrt", s.add(s.sub(total, ONE), lost)))


def _by_fused_steps(s: HypotSteps, numbers: tuple[Cell, Cell]) -> Cell:
    total, lost = ONE, [ZERO, ZERO]

    def include(x: Cell, y: Cell) -> None:
        nonlocal total
        product = s.mul(x, y)
        rest = s.n.intrinsic("fma", x, y, s.neg(product))
        before, total = total, s.add(total, product)
        lost[0] = s.add(lost[0], rest)
        lost[1] = s.add(lost[1], s.add(s.sub(before, total), product))

    for number in numbers:
        include(number, number)
    root = s.n.intrinsic("sqrt", _left(s, total, lost))
    include(s.neg(root), root)
    return s.add(root, s.div(_left(s, total, lost), s.mul(TWO, root)))


def _left(s: HypotSteps, total: Cell, lost: list[Cell]) -> Cell:
    """What the sum is without the one that it began with, and with what was lost."""
    gathered = lost[0]
    for part in lost[1:]:
        gathered = s.add(gathered, part)
    return s.add(s.sub(total, ONE), gathered)

