"""Powers of two and of whole numbers: the parts of a float, shifts, and products of a whole number with itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepalgo.backends.native.own_functions import call_own
from deepalgo.backends.native.real_steps import RealSteps
from deepalgo.backends.native.text import Cell, literal
from deepalgo.kinds import Kind

if TYPE_CHECKING:
    from deepalgo.backends.native.numbers import NumberForms

REAL, INT = Kind.REAL, Kind.INT
NOUGHT, UNIT, MINUS = (literal(number, INT) for number in (0, 1, -1))
#: Denormal numbers times this are normal.
LIFT = 64
#: A power by a known exponent up to this one is written out.
SHORT = 16


def mantissa(n: NumberForms, x: Cell) -> Cell:
    """The first part of `math.frexp`: from 1/2 on and below 1, with the sign of `x`; what has no exponent is itself."""
    s = RealSteps(n)
    bits = _as_bits(n, _lifted(s, x))
    kept = n.code.op("and", bits, literal(~(0x7FF << 52), INT))
    found = _as_real(n, n.code.op("or", kept, literal(1022 << 52, INT)))
    return s.where(_has_exponent(s, x), found, x)


def exponent(n: NumberForms, x: Cell) -> Cell:
    """The second part of `math.frexp`."""
    s = RealSteps(n)
    bits = _as_bits(n, _lifted(s, x))
    biased = n.code.op("and", n.code.op("lshr", bits, literal(52, INT)), literal(0x7FF, INT))
    bias = n.code.choose(_is_denormal(s, x), literal(1022 + LIFT, INT), literal(1022, INT))
    return n.code.choose(_has_exponent(s, x), n.code.op("sub", biased, bias), NOUGHT)


def _is_denormal(s: RealSteps, x: Cell) -> Cell:
    return s.lt(s.abs(x), 2.0**-1022)


def _lifted(s: RealSteps, x: Cell) -> Cell:
    return s.where(_is_denormal(s, x), s.mul(x, 2.0**LIFT), x)


def _has_exponent(s: RealSteps, x: Cell) -> Cell:
    return s.both(s.finite(x), s.ne(x, 0.0))


def _as_bits(n: NumberForms, x: Cell) -> Cell:
    return Cell(n.code.emit(f"bitcast {x.typed} to {Cell('', INT, x.wide).type}"), INT, x.wide)


def _as_real(n: NumberForms, x: Cell) -> Cell:
    return Cell(n.code.emit(f"bitcast {x.typed} to {Cell('', REAL, x.wide).type}"), REAL, x.wide)


def left_shift(n: NumberForms, x: Cell, y: Cell) -> Cell:
    """`x << y`; 0 where a machine cannot shift so far, and a check has spoken before."""
    fits = n.code.op("icmp ult", y, literal(64, INT), kind=Kind.BOOL)
    return n.code.choose(fits, n.code.op("shl", x, n.code.choose(fits, y, NOUGHT)), NOUGHT)


def whole_power(n: NumberForms, x: Cell, y: Cell) -> Cell:
    """`x ** y` of whole numbers, without what does not fit; by a negative exponent 0, or ±1 if `x` is."""
    if not y.text.isdigit() or int(y.text) > SHORT:
        return call_own(n, "whole_power", _by_squares, x, y)
    found = UNIT
    for _ in range(int(y.text)):
        found = n.code.op("mul", found, x)
    return found


def _by_squares(n: NumberForms, x: Cell, y: Cell) -> Cell:
    code = n.code
    is_negative = n.compare("lt", y, NOUGHT)
    is_unit = code.op("or", n.compare("eq", x, UNIT), n.compare("eq", x, MINUS))
    # Bits of the exponent from the lowest on; its sign does not change whether it is odd.
    square, left, found = x, y, UNIT
    for _ in range(63):
        is_odd = n.compare("ne", code.op("and", left, UNIT), NOUGHT)
        found = code.choose(is_odd, code.op("mul", found, square), found)
        square, left = code.op("mul", square, square), code.op("lshr", left, UNIT)
    return code.choose(is_negative, code.choose(is_unit, found, NOUGHT), found)
