"""`RealSteps`: arithmetic on cells, short enough for formulas; numbers stand for themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from deepalgo.backends.native.text import Cell, literal
from deepalgo.kinds import Kind

if TYPE_CHECKING:
    from deepalgo.backends.native.numbers import NumberForms

#: A cell of real numbers, or a number.
Real: TypeAlias = Cell | float


def cell(x: Real) -> Cell:
    """A number as a cell."""
    return x if isinstance(x, Cell) else literal(x, Kind.REAL)


class RealSteps:
    """Writes operations on real numbers by the forms of `n`."""

    def __init__(self, n: NumberForms) -> None:
        self.n = n

    def _op(self, name: str, *numbers: Real) -> Cell:
        return self.n.code.op(name, *map(cell, numbers))

    def add(self, x: Real, y: Real) -> Cell:
        """The sum."""
        return self._op("fadd", x, y)

    def sub(self, x: Real, y: Real) -> Cell:
        """The difference."""
        return self._op("fsub", x, y)

    def mul(self, x: Real, y: Real) -> Cell:
        """The product."""
        return self._op("fmul", x, y)

    def div(self, x: Real, y: Real) -> Cell:
        """The quotient."""
        return self._op("fdiv", x, y)

    def neg(self, x: Real) -> Cell:
        """The opposite."""
        return self._op("fneg", x)

    def abs(self, x: Real) -> Cell:
        """The size without the sign."""
        return self.n.intrinsic("fabs", cell(x))

    def sqrt(self, x: Real) -> Cell:
        """The root."""
        return self.n.intrinsic("sqrt", cell(x))

    def floor(self, x: Real) -> Cell:
        """The whole number below."""
        return self.n.intrinsic("floor", cell(x))

    def rint(self, x: Real) -> Cell:
        """The nearest whole number, the even one of two."""
        return self.n.intrinsic("roundeven", cell(x))

    def fma(self, x: Real, y: Real, z: Real) -> Cell:
        """`x * y + z`, rounded once."""
        return self.n.intrinsic("fma", cell(x), cell(y), cell(z))

    def lt(self, x: Real, y: Real) -> Cell:
        """`x < y`."""
        return self.n.compare("lt", cell(x), cell(y))

    def le(self, x: Real, y: Real) -> Cell:
        """`x <= y`."""
        return self.n.compare("le", cell(x), cell(y))

    def gt(self, x: Real, y: Real) -> Cell:
        """`x > y`."""
        return self.n.compare("gt", cell(x), cell(y))

    def ge(self, x: Real, y: Real) -> Cell:
        """`x >= y`."""
        return self.n.compare("ge", cell(x), cell(y))

    def eq(self, x: Real, y: Real) -> Cell:
        """`x == y`."""
        return self.n.compare("eq", cell(x), cell(y))

    def ne(self, x: Real, y: Real) -> Cell:
        """`x != y`."""
        return self.n.compare("ne", cell(x), cell(y))

    def finite(self, x: Real) -> Cell:
        """Neither infinite nor NaN."""
        return self.n.finite(cell(x))

    def is_infinite(self, x: Real) -> Cell:
        """One of the infinities."""
        return self.eq(self.abs(x), float("inf"))

    def both(self, first: Cell, second: Cell) -> Cell:
        """`and`."""
        return self.n.code.op("and", first, second)

    def either(self, first: Cell, second: Cell) -> Cell:
        """`or`."""
        return self.n.code.op("or", first, second)

    def opposite(self, condition: Cell) -> Cell:
        """`not`."""
        return self.n.opposite(condition)

    def where(self, condition: Cell, then: Real, orelse: Real) -> Cell:
        """One of two numbers."""
        return self.n.code.choose(condition, cell(then), cell(orelse))
